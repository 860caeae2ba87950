"""Fixes of some devices among fences, the same ones each time but for the date, and the fences.

usage: fleet_fixes.py FOLDER
"""
import json, random, sys
from datetime import datetime, timedelta, timezone

folder = sys.argv[1]
chance = random.Random(86)
fences = [
    {
        "type": "Feature", "id": f"depot-{number}",
        "geometry": {"type": "Point", "coordinates": [6.63 + 0.01 * number, 46.52]},
        "properties": {"radius": 200, "dwell": 120},
    }
    for number in range(4)
]
with open(f"{folder}/fences.geojson", "w") as file:
    json.dump({"type": "FeatureCollection", "features": fences}, file)

start = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=4)
steps, devices = 240, 8
lines = []
for step in range(steps):
    for device in range(devices):
        # From one end of the row of fences to the other and back, with a stay at each.
        place = (step + 13 * device) % 120
        east = (place if place < 60 else 120 - place) / 60 * 0.03
        at = round(east / 0.01) * 0.01 if step % 30 < 12 else east
        lines.append(json.dumps({
            "tenant": "acme", "device": f"truck-{device}",
            "date": (start + timedelta(seconds=30 * step)).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "latitude": round(46.52 + chance.gauss(0, 0.00004), 6),
            "longitude": round(6.63 + at + chance.gauss(0, 0.00006), 6),
            "horizontal_accuracy": 8,
        }))
half = len(lines) // 2
for name, part in [("fixes", lines), ("first", lines[:half]), ("rest", lines[half:])]:
    with open(f"{folder}/{name}.jsonl", "w") as file:
        file.writelines(line + "\n" for line in part)
