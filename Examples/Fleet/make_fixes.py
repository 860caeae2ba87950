"""Writes fences and a day of fixes of made-up devices: make_fixes.py FENCES.geojson FIXES.jsonl"""
import datetime
import json
import random
import sys

chance = random.Random(24)
start = datetime.datetime(2026, 1, 5, 8, tzinfo=datetime.timezone.utc)
features = [
    {
        "type": "Feature",
        "id": f"depot-{number}",
        "geometry": {
            "type": "Point",
            "coordinates": [6.6 + chance.random() / 5, 46.5 + chance.random() / 50],
        },
        "properties": {"radius": 150 + 50 * (number % 5), "dwell": 300},
    }
    for number in range(200)
]
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump({"type": "FeatureCollection", "features": features}, file)
places = [[6.6 + chance.random() / 5, 46.5 + chance.random() / 50] for _ in range(60)]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    for step in range(360):
        date = (start + datetime.timedelta(seconds=20 * step)).isoformat()
        for number, place in enumerate(places):
            if (step // 60 + number) % 2:
                place[0] += 0.0008
            line = {
                "device": f"truck-{number}",
                "date": date,
                "latitude": place[1] + chance.gauss(0, 3e-5),
                "longitude": place[0] + chance.gauss(0, 3e-5),
                "horizontal_accuracy": 8,
            }
            file.write(json.dumps(line) + "\n")
