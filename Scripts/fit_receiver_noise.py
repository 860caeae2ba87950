#!/usr/bin/env python3
"""Fits the noise of simulated receivers to the shared traces (docs/decisions/0026).

    Scripts/fit_receiver_noise.py $MERIDIAN_SHARED/data/traces

Under an open sky, two phones were carried together on the same ways, each with best accuracy at 1 Hz.
What lies between them across the way, second by second, is free of any reference's own error: its
variance is the sum of both phones'. In streets and below ground, the densest logs are not there: phones
that report every 30 m are held against the reference, which two other phones made; its error is taken
to be as large as theirs. For each sky this prints, of one phone on one axis: the deviation, the time
after which the error has forgotten all but a third of itself, what is new each second, the share of
outliers beyond five robust deviations with their middle size and the mean length of their runs, and the share
of seconds without a fix.
The last row is a car's receiver (u-blox F9K) against a survey-grade reference. Only the standard
library is needed.
"""
import bisect, csv, glob, gzip, math, os, sys

WAYS = {  # kinds of sky, by the names of the legs
  "open": ["suburb_bicycling"],
  "city": ["suburb_city_driving_weekend"],
  "street": ["walk_downtown_urban_canyon", "ebike_bikeshare_urban_long", "city_bus_short"],
  "indoors": ["light_rail_below_above_ground", "subway_underground", "commuter_rail_with_tunnels"],
}

def rows(path):
  with gzip.open(path, "rt") as file: yield from csv.DictReader(file)

def track(path):
  """Time, latitude, longitude; sorted, each time once."""
  fixes = {float(r["ts"]): (float(r["latitude"]), float(r["longitude"])) for r in rows(path)}
  return sorted((t, *p) for t, p in fixes.items())

def at(fixes, times, t):
  """The place at a time, between two fixes at most 2.5 s apart; None elsewhere."""
  i = bisect.bisect_left(times, t)
  if i == 0 or i == len(times): return None
  (a, la, lo), (b, lb, ob) = fixes[i - 1], fixes[i]
  if b - a > 2.5: return None
  s = (t - a) / (b - a)
  return la + s * (lb - la), lo + s * (ob - lo)

def meters(p, q):
  return ((q[1] - p[1]) * 111320 * math.cos(math.radians(p[0])), (q[0] - p[0]) * 110574)

def crossings(one, two, start, end):
  """By second: how far two lies to the right of one, across the way; and how many had no pair."""
  t1, t2 = [f[0] for f in one], [f[0] for f in two]
  found, missing = {}, 0
  isSparse = sum(start <= t < end for t in t2) < 0.3 * (end - start)
  seconds = [round(t) for t in t2 if start <= t < end] if isSparse else range(int(start), int(end))
  for t in seconds:
    a = at(one, t1, t)
    b = two[bisect.bisect_left(t2, t - 0.5)][1:] if isSparse else at(two, t2, t)
    before, after = at(one, t1, t - 3), at(one, t1, t + 3)
    if a is None: missing += 1
    if None in (a, b, before, after): continue
    way = meters(before, after)
    length = math.hypot(*way)
    if length < 4: continue  # stands: no "across"
    gap = meters(a, b)
    found[t] = (gap[0] * way[1] - gap[1] * way[0]) / length
  return found, missing, int(end) - int(start)

def fit(runs, phones):
  """Joined statistics of runs of seconds."""
  values = [v for run in runs for v in run.values()]
  if len(values) < 150: return None
  middle = sorted(values)[len(values) // 2]
  spread = 1.4826 * sorted(abs(v - middle) for v in values)[len(values) // 2]
  far = [abs(v - middle) for v in values if abs(v - middle) > 5 * spread]
  kept = [{t: v - middle for t, v in run.items() if abs(v - middle) <= 5 * spread} for run in runs]
  def covariance(lag):
    near = 0 if lag <= 3 else max(1, round(lag * 0.15))
    pairs = [(r[t], r[t + lag + d]) for r in kept for t in r for d in range(-near, near + 1)
             if t + lag + d in r]
    return sum(a * b for a, b in pairs) / len(pairs) if len(pairs) > 30 else math.nan
  total = covariance(0)
  # The slow part: lags of 2 and more seconds lie on an exponential, whose height at 0 is its variance.
  lags = [2, 3, 5, 8, 12, 20, 30, 45, 60, 90]
  points = [(l, covariance(l)) for l in lags]
  points = [(l, c) for l, c in points if c > total * 0.1]
  if len(points) < 3: return None
  n = len(points); mx = sum(l for l, _ in points) / n; my = sum(math.log(c) for _, c in points) / n
  slope = sum((l - mx) * (math.log(c) - my) for l, c in points) / sum((l - mx) ** 2 for l, _ in points)
  slow = min(total, math.exp(my - slope * mx))
  return {
    "seconds": len(values), "deviation": math.sqrt(slow / phones), "memory": -1 / slope,
    "jitter": math.sqrt(max(0, total - slow) / phones), "outliers": len(far) / len(values) / phones,
    "size": sorted(far)[len(far) // 2] if far else 0, "run": mean_run(runs, middle, 5 * spread)}

def mean_run(runs, middle, limit):
  """Seconds that outliers last, where there is one value a second."""
  begun = lasted = 0
  for run in runs:
    if len(run) < 0.5 * (max(run, default=0) - min(run, default=0)): continue
    for t in run:
      if abs(run[t] - middle) > limit:
        lasted += 1
        begun += abs(run.get(t - 1, middle) - middle) <= limit
  return lasted / begun if begun else 0

def pairs(folder, sky, legs):
  """The two tracks of every leg, and its beginning and end."""
  for leg in legs:
    for path in sorted(glob.glob(f"{folder}/mobilitynet/*/reference/*{leg}--*.csv.gz")):
      base = f"{path.split('/reference/')[0]}/run{path.rsplit('--', 1)[1].split('.')[0]}"
      span = [float(r["ts"]) for r in rows(path)]
      dense = [f"{base}/{p}-1-locations.csv.gz" for p in ("ios", "android")]
      if all(os.path.exists(f) for f in dense):
        yield track(dense[0]), track(dense[1]), span
      elif sky not in ("open", "city"):
        for phone in sparse(base): yield track(path), track(phone), span

def sparse(base):
  """The phones of a run that reported every 30 m with best accuracy."""
  run, timeline = base.rsplit("/run", 1)[1], base.split("/")[-2]
  with open(os.path.dirname(os.path.dirname(base)) + "/sessions.csv") as file:
    for r in csv.DictReader(file):
      phone = r["phone"].replace("ucb-sdb-", "")
      path = f"{base}/{phone}-locations.csv.gz"
      if (r["timeline"], r["run"]) == (timeline, run) and r["period"].endswith(":HAMFDC"):
        if os.path.exists(path): yield path

def mobility(folder):
  for sky, legs in WAYS.items():
    runs, missing, seconds = [], 0, 0
    for one, two, span in pairs(folder, sky, legs):
      found, lost, count = crossings(one, two, span[0], span[-1])
      runs.append(found); missing += lost; seconds += count
    show(sky, fit(runs, 2), missing / max(1, seconds))

def nmea(path):
  def angle(text, digits, side):
    return (int(text[:digits]) + float(text[digits:]) / 60) * (-1 if side in "SW" else 1)
  found = {}
  with gzip.open(path, "rt", errors="replace") as file:
    for line in file:
      f = line.split(",")
      if f[0][3:] == "GGA" and f[6] not in ("", "0"):
        t = int(f[1][:2]) * 3600 + int(f[1][2:4]) * 60 + float(f[1][4:])
        found[t] = (t, angle(f[2], 2, f[3]), angle(f[4], 3, f[5]))
  return sorted(found.values())

def show(name, figures, loss):
  if figures is None: return print(f"{name:10} too little")
  print(f"{name:10}" + "".join(f" {k} {v:.3g}" for k, v in figures.items()) + f" loss {loss:.3f}")

if __name__ == "__main__":
  folder = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MERIDIAN_SHARED", "../shared") + "/data/traces"
  mobility(folder)
  truth = nmea(f"{folder}/vehicle-span/span-truth-first-half.nmea.gz")
  seen = nmea(f"{folder}/vehicle-span/ublox-F9K-first-half.nmea.gz")
  found, lost, count = crossings(seen, truth, seen[0][0], seen[-1][0])
  show("car", fit([found], 1), lost / count)
