#!/usr/bin/env python3
"""Chooses the limits of beacon proximity without the recorded set that they are judged on.

Replays the shared sets (MERIDIAN_SHARED, or `shared` beside the repository) as the ranger does
(BEACON-26, BEACON-27), in the order of time and in four others, for each combination of limits.
Then, for each set, picks the combination by which no receiver of the other four was worse than
"near, always", and prints what it gains on the set left out, in percent of the reports
(docs/decisions/0090). Needs numpy; takes some minutes.
"""
import csv
import gzip
import itertools
import os
import pathlib
import random

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("MERIDIAN_SHARED", ROOT.parent / "shared")) / "data/beacons"
PHONES = ["mit-matrix", "pact-range-angle"]
SETS = PHONES + ["HH", "HP", "PB"]
# Deviations above the mean; dB, and deviations more, below it.
LIMITS = list(itertools.product((1.2, 1.4, 1.6, 1.8, 2.0, 2.2), (4, 6, 8, 10, 12, 14), (0, 0.5, 1)))
DOUBT = 3
ORDERS = 5


def recordings(name):
    """The recordings of a set in the order of time: receiver, beacon, distance, start, samples."""
    phone = name in PHONES
    file = DATA / (f"rssi-{name}.csv.gz" if phone else f"rssi-smartphone-RSS_human{name}.csv.gz")
    columns = (1, 4, 2, 7) if phone else (1, 2, 5, 0)
    found = {}
    with gzip.open(file, "rt") as lines:
        rows = list(csv.reader(lines))[1:]
    for row in rows[::3 if phone else 1]:
        time, rssi, distance = (float(row[column]) for column in columns[:3])
        if rssi == 127:
            continue
        key = tuple(row[column] for column in ((0, 2, 3, 6, 7) if phone else (0, 5)))
        entry = (row[columns[3]], (row[6] if phone else "", row[0]),
                 distance * (0.3048 if phone else 0.01))
        found.setdefault(key, (entry, []))[1].append((time, rssi))
    parts = []
    for entry, samples in found.values():
        last = -np.inf
        for time, rssi in sorted(samples, key=lambda sample: sample[0]):
            if time - last > 10:
                parts.append((*entry, time, []))
            last = time
            parts[-1][4].append((time - parts[-1][3], rssi))
    return sorted(parts, key=lambda part: part[3])


def levels(samples):
    """The smoothed strength of each report; None after a second without a signal."""
    times, strengths = (np.array(column) for column in zip(*samples))
    reports = []
    for second in range(1, int(times[-1] + 0.999) + 1):
        heard = strengths[(times <= second) & (times > second - 10)]
        if not ((times <= second) & (times > second - 1 if second > 1 else True)).any():
            reports.append(None)
            continue
        cut = len(heard) // 10
        reports.append(np.sort(heard)[cut:len(heard) - cut].mean())
    return reports


def replay(parts):
    """What is judged of one receiver: dB over the mean, deviation, doubt, and the true class."""
    mean, weight, squares = -75.0, 1.0, 64.0 * 4
    taught, judged = {}, []
    for _, beacon, distance, _, reports, is_judged in parts:
        truth = 0 if distance < 0.5 else 1 if distance < 3 else 2
        for number, level in enumerate(reports, 1):
            spread = (squares / (weight + 3)) ** 0.5
            if is_judged and level is not None and number >= min(10, len(reports)):
                judged.append((level - mean, spread, DOUBT * spread / weight ** 0.5, truth))
            if level is None or number < 2 or abs(level - taught.get(beacon, np.inf)) < 4:
                continue
            taught[beacon] = level
            difference = level - mean
            squares += difference * difference * weight / (weight + 1)
            weight += 1
            mean += difference / weight
            if weight > 100:
                squares, weight = squares * 103 / (weight + 3), 100.0
    return np.array(judged).reshape(-1, 4).T


def gain(judged, limits):
    """By how many reports more than near the class is right."""
    above, below, more = limits
    level, spread, doubt, truth = judged
    strong = level > above * spread + doubt
    weak = level < -(below + more * spread + doubt)
    wrong = ((strong | weak) & (truth == 1)).sum()
    return (strong & (truth == 0)).sum() + (weak & (truth == 2)).sum() - wrong


def main():
    receivers, reports, gains = [], {}, []
    for name in SETS:
        parts = [(*part[:4], levels(part[4]), name in PHONES or not 0.9 <= part[2] <= 1.0)
                 for part in recordings(name)]
        for receiver in sorted({part[0] for part in parts}):
            own = [part for part in parts if part[0] == receiver]
            orders = [own] + [random.Random(seed).sample(own, len(own)) for seed in range(ORDERS - 1)]
            replays = [replay(order) for order in orders]
            receivers.append(name)
            reports[name] = reports.get(name, 0) + replays[0].shape[1]
            gains.append([[gain(judged, limits) for judged in replays] for limits in LIMITS])
    gains = np.array(gains).transpose(1, 0, 2)
    members = np.array(receivers)
    percent = np.stack(
        [100 * gains[:, members == name].sum(1) / reports[name] for name in SETS], axis=1)
    for index, name in enumerate(SETS):
        others = [other for other in range(len(SETS)) if other != index]
        worse = np.minimum(gains[:, members != name].min(2), 0).sum(1)
        chosen = (0.1 * worse + percent[:, others].mean(2).min(1)).argmax()
        print(f"{name}: {percent[chosen, index, 0]:+.2f} in the order of time, "
              f"{percent[chosen, index].min():+.2f} to {percent[chosen, index].max():+.2f} in all, "
              f"by {LIMITS[chosen]}")
    shipped = LIMITS.index((2.0, 12, 0))
    print("as shipped:", ", ".join(
        f"{name} {percent[shipped, index, 0]:+.2f}" for index, name in enumerate(SETS)))


main()
