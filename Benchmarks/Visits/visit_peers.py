"""Scores visits against the truth: ours, and those of Infostop, trackintel, and scikit-mobility.

    visit_peers.py DAYS.json PAGE.md

DAYS.json is what `Benchmarks visits` writes: for each phone and day its fixes, when its carrier
stayed, and what our engine delivered, which receives one fix after the other; once with every fix, and once
without those that the phone had kept for ten minutes and more. The peers see the whole day at once.
Each runs with its own defaults and with other settings; beside the defaults the page shows the
settings that suit this very data best, in the peer's favor.
"""

import importlib
import json
import statistics
import sys
import warnings

warnings.filterwarnings("ignore")

SHORTEST = 300  # Seconds: shorter stays are asked of nobody, and shorter visits count for nobody.


# -- What each finds: lists of (arrival, departure)


def ours(day):
    return [(v.get("arrival", day["start"]), v.get("departure", day["end"])) for v in day["visits"]]


def infostop(day, distance, seconds):
    import numpy
    from infostop import Infostop

    rows = sorted({int(f[0]): f for f in day["fixes"]}.items())
    data = numpy.array([(f[1], f[2], t) for t, f in rows])
    model = Infostop(r1=distance, r2=distance, label_singleton=True, min_staying_time=seconds,
                     max_time_between=86400)
    try:
        labels = model.fit_predict(data)
    except Exception:  # It raises when a day holds no stationary point.
        return []
    found, begin = [], None
    for row, label in enumerate(labels):
        if begin is not None and label != labels[begin]:
            found.append((data[begin][2], data[row - 1][2]))
            begin = None
        if begin is None and label >= 0:
            begin = row
    return found + ([(data[begin][2], data[-1][2])] if begin is not None else [])


def trackintel(day, distance, seconds):
    import geopandas
    import pandas
    import trackintel
    from trackintel.preprocessing import generate_staypoints

    del trackintel
    times = pandas.to_datetime([f[0] for f in day["fixes"]], unit="s", utc=True)
    points = geopandas.GeoDataFrame(
        {"user_id": 0, "tracked_at": times},
        geometry=geopandas.points_from_xy([f[2] for f in day["fixes"]], [f[1] for f in day["fixes"]]),
        crs="EPSG:4326")
    points = points.sort_values("tracked_at").drop_duplicates("tracked_at").reset_index(drop=True)
    _, stays = generate_staypoints(points, method="sliding", dist_threshold=distance,
                                   time_threshold=seconds / 60, gap_threshold=86400,
                                   include_last=True)
    return [(s.started_at.timestamp(), s.finished_at.timestamp()) for s in stays.itertuples()]


def scikit_mobility(day, distance, seconds):
    import pandas
    import shapely.ops

    # Its import asks for a name that shapely 2 has under another one.
    shapely.ops.cascaded_union = shapely.ops.unary_union
    import skmob
    from skmob.preprocessing import detection

    frame = pandas.DataFrame({
        "lat": [f[1] for f in day["fixes"]], "lng": [f[2] for f in day["fixes"]],
        "datetime": pandas.to_datetime([f[0] for f in day["fixes"]], unit="s")})
    frame = frame.sort_values("datetime").drop_duplicates("datetime")
    # Version 1.3 has another name for it.
    find = getattr(detection, "stay_locations", None) or detection.stops
    stays = find(
        skmob.TrajDataFrame(frame), minutes_for_a_stop=seconds / 60, spatial_radius_km=distance / 1000,
        no_data_for_minutes=1e12, leaving_time=True)
    return [(s.datetime.timestamp(), s.leaving_datetime.timestamp()) for s in stays.itertuples()]


PEERS = {
    "Infostop": ("infostop", infostop, (10, 300), [(d, s) for d in (30, 50, 100, 150, 200) for s in (300, 600)]),
    "trackintel": ("trackintel", trackintel, (100, 300),
                   [(d, s) for d in (50, 100, 150, 200) for s in (300, 600)]),
    "scikit-mobility": ("skmob", scikit_mobility, (200, 1200),
                        [(d, s) for d in (25, 50, 100, 200, 300) for s in (300, 600)]),
}


# -- Score


def overlap(a, b):
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def score(days, found):
    """A visit is right when it shares half of the time that it and a stay cover together."""
    right, wrong, missed, arrivals, departures = 0, 0, 0, [], []
    for day, visits in zip(days, found):
        visits = [v for v in visits if v[1] - v[0] >= SHORTEST]
        stays = [s for s in day["stays"] if s[1] - s[0] >= SHORTEST]
        short = [s for s in day["stays"] if s[1] - s[0] < SHORTEST]
        free = list(visits)
        for stay in stays:
            best = max(free, key=lambda v: overlap(v, stay), default=None)
            shared = overlap(best, stay) if best else 0
            if best is None or 2 * shared < (best[1] - best[0]) + (stay[1] - stay[0]) - shared:
                missed += 1
                continue
            free.remove(best)
            right += 1
            # The day's first arrival and its last departure are those of the recording.
            if stay[0] > day["start"]:
                arrivals.append(abs(best[0] - stay[0]))
            if stay[1] < day["end"]:
                departures.append(abs(best[1] - stay[1]))
        wrong += sum(1 for v in free if not any(2 * overlap(v, s) > v[1] - v[0] for s in short))
    precision = right / (right + wrong) if right + wrong else 0
    recall = right / (right + missed) if right + missed else 0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
    return {"precision": precision, "recall": recall, "f1": f1,
            "arrival": quantiles(arrivals), "departure": quantiles(departures)}


def quantiles(values):
    if len(values) < 2:
        return "–"
    return f"{statistics.median(values):.0f} / {statistics.quantiles(values, n=10)[8]:.0f}"


def rows(days):
    """Names, settings, and scores, without stale fixes and with every fix."""
    def scores(find):
        return tuple(score(days[kind], [find(day) for day in days[kind]]) for kind in ("fresh", "every"))

    yield "Meridian, online", "in-sample", *scores(ours)
    for name, (module, find, default, others) in PEERS.items():
        try:
            importlib.import_module(module if module != "skmob" else "pandas")
            found = {s: scores(lambda day, s=s: find(day, *s)) for s in [default, *others]}
        except ImportError as error:
            print(f"not compared with {name}: {error}")
            continue
        yield name, settings(default) + " (its defaults)", *found[default]
        best = max(found, key=lambda s: max(score["f1"] for score in found[s]))
        yield name, settings(best) + " (best here, in-sample)", *found[best]


def settings(pair):
    return f"{pair[0]} m, {pair[1] / 60:g} min"


def main(source, page):
    with open(source) as file:
        days = json.load(file)
    count = sum(1 for day in days["every"] for s in day["stays"] if s[1] - s[0] >= SHORTEST)
    stale = sum(len(e["fixes"]) > len(f["fixes"]) for e, f in zip(days["every"], days["fresh"]))
    lines = [
        "# Visits, against programs that look back", "",
        "Written by `Benchmarks visits`: "
        f"{len(days['every'])} phone-days of `shared/data/traces/mobilitynet`, {count} stays of five "
        "minutes and more. Ours receives one fix after the other; the others see the whole day at once, "
        "with their own defaults and with the settings, of several tried, that score best on these "
        "very days. A visit is right when it shares at least half of the time that it and a stay cover "
        "together; arrival and departure are seconds from the truth, median / 90 %.", "",
        "All figures are in-sample: the constants of ours were chosen with these days in sight, and so "
        "are the best settings of the others. They say how well each can be made to fit, not how well it "
        "does on days that nobody has seen; the defaults of the others are their only row that is out of "
        "sample.", "",
        f"{stale} of the days begin with a fix that the phone had kept, of another place or another "
        "week. Ours forgets such a fix by a rule that was made with these days in sight; the others "
        "take it for the beginning of a stay. So all are scored without fixes that were ten minutes "
        "old when they were delivered; the last column shows what every fix gives.", "",
        "| | settings | precision | recall | F1 | arrival, s | departure, s | F1 with every fix |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, words, s, every in rows(days):
        lines.append(f"| {name} | {words} | {s['precision']:.3f} | {s['recall']:.3f} | {s['f1']:.3f} "
                     f"| {s['arrival']} | {s['departure']} | {every['f1']:.3f} |")
        key = name.split(",")[0].lower() + (".default" if "defaults" in words else "")
        print(f"figure {key}.f1 {s['f1']:.4f}")
    print("\n".join(lines[8:]))
    with open(page, "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
