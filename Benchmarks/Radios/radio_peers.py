"""What other ways of finding the place of a scan do with the same scans.

    radio_peers.py SCANS.txt

Each line of SCANS.txt is `teach` or `ask`, nanoseconds, east and north in meters, the floor or `-`, and
then `STATION:LEVEL` for each transmitter received. Prints one line for each peer:

    peer NAME MEDIAN P90 SINGLE BATCH

with the errors in meters and the microseconds of one scan, asked alone as it is received, and in a
batch of all, `-` where there is no such thing. Each peer runs with what is usual for it; what is not
received counts as -100 dBm.
"""

import os
import sqlite3
import sys
import time

ABSENT = -100.0
MOST = 400  # Scans that are asked.


def read(path):
    parts = {"teach": [], "ask": []}
    for line in open(path, encoding="utf-8"):
        kind, _, east, north, _, *heard = line.split()
        levels = {int(s): float(v) for s, v in (word.split(":") for word in heard)}
        parts[kind].append(((float(east), float(north)), levels))
    return parts["teach"], parts["ask"]


def neighbors(taught, asked):
    """scikit-learn's nearest neighbors: the mean of three, weighted by the likeness."""
    # One thread, as the others; on a busy machine several only wait for one another.
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import numpy
    from sklearn.neighbors import KNeighborsRegressor

    columns = {s: n for n, s in enumerate(sorted({s for _, levels in taught for s in levels}))}

    def row(levels):
        values = numpy.full(len(columns), ABSENT, dtype=numpy.float32)
        for station, level in levels.items():
            if station in columns:
                values[columns[station]] = level
        return values

    model = KNeighborsRegressor(n_neighbors=min(3, len(taught)), weights="distance")
    model.fit(numpy.array([row(l) for _, l in taught]), numpy.array([p for p, _ in taught]))
    begin = time.perf_counter()
    found = [tuple(model.predict(row(levels)[None, :])[0]) for _, levels in asked]
    single = time.perf_counter() - begin
    begin = time.perf_counter()
    model.predict(numpy.array([row(levels) for _, levels in asked]))
    return found, single, time.perf_counter() - begin


def database(taught, asked):
    """The nearest fingerprint by one statement of SQL; an index by station, in memory."""
    base = sqlite3.connect(":memory:")
    base.executescript(
        "CREATE TABLE place (id INTEGER PRIMARY KEY, east REAL, north REAL, norm REAL);"
        "CREATE TABLE heard (station INTEGER, place INTEGER, level REAL,"
        " PRIMARY KEY (station, place)) WITHOUT ROWID;"
        "CREATE TEMP TABLE now (station INTEGER PRIMARY KEY, level REAL);")
    for number, ((east, north), levels) in enumerate(taught):
        norm = sum((v - ABSENT) ** 2 for v in levels.values())
        base.execute("INSERT INTO place VALUES (?, ?, ?, ?)", (number, east, north, norm))
        base.executemany(
            "INSERT INTO heard VALUES (?, ?, ?)", [(s, number, v) for s, v in levels.items()])
    base.commit()
    # The squares of the differences, without those that all places share.
    query = (
        "SELECT east, north FROM place JOIN (SELECT place, sum((heard.level - now.level) *"
        " (heard.level - now.level) - (heard.level + 100) * (heard.level + 100)"
        " - (now.level + 100) * (now.level + 100)) AS common FROM now CROSS JOIN heard"
        " USING (station) GROUP BY place) ON place = id ORDER BY norm + common LIMIT 1")
    begin = time.perf_counter()
    found = []
    for _, levels in asked:
        base.execute("DELETE FROM now")
        base.executemany("INSERT INTO now VALUES (?, ?)", levels.items())
        found.append(base.execute(query).fetchone())
    return found, time.perf_counter() - begin, None


def main():
    taught, asked = read(sys.argv[1])
    # Evenly spaced, since the slower of the peers takes a tenth of a second for each.
    asked = asked[::max(1, len(asked) // MOST)]
    for name, peer in (("knn", neighbors), ("sql", database)):
        found, single, batch = peer(taught, asked)
        errors = sorted(
            ((f[0] - p[0]) ** 2 + (f[1] - p[1]) ** 2) ** 0.5 if f else float("inf")
            for f, (p, _) in zip(found, asked))
        each = 1e6 / len(asked)
        print("peer", name, f"{errors[len(errors) // 2]:.3f}",
              f"{errors[min(int(len(errors) * 0.9), len(errors) - 1)]:.3f}",
              f"{single * each:.2f}", f"{batch * each:.2f}" if batch is not None else "-")


main()
