"""`make places`: what it reads, and what it says when a source is missing or not the right one."""

import hashlib
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

import place_sources  # noqa: E402


def place(identifier, name, others, latitude, longitude, feature, country, state, county, people):
    return "\t".join([
        identifier, name, name, others, latitude, longitude, "P", feature, country, "", state, county,
        "", "", people, "", "", "Europe/Berlin", "2026-01-01"])


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def zip(self, name, member, lines):
        with zipfile.ZipFile(self.folder / name, "w") as archive:
            archive.writestr(member, "\n".join(lines) + "\n")

    def make(self, *arguments):
        output = self.folder / "places.sqlite"
        done = subprocess.run(
            [sys.executable, ROOT / "Scripts/build_place_index.py", *arguments, "--output", output],
            capture_output=True, text=True)
        return done, output


class GeoNamesTests(Scratch):
    def fill(self):
        self.zip("cities500.zip", "cities500.txt", [
            place("1", "Berlin", "Berolinum", "52.524", "13.411", "PPLC", "DE", "16", "00", "3426354"),
            place("2", "Mitte", "", "52.52", "13.405", "PPLX", "DE", "16", "00", "102338"),
            place("3", "Potsdam", "", "52.399", "13.066", "PPLA", "DE", "11", "12054", "175000"),
        ])
        (self.folder / "admin1CodesASCII.txt").write_text(
            "DE.16\tState of Berlin\tState of Berlin\t100\nDE.11\tBrandenburg\tBrandenburg\t101\n")
        (self.folder / "admin2Codes.txt").write_text("DE.11.12054\tPotsdam\tPotsdam\t102\n")
        self.map()

    def map(self):
        """A world of one division: a square around Potsdam."""
        corners = [(12.5, 52.0), (13.2, 52.0), (13.2, 53.0), (12.5, 53.0), (12.5, 52.0)]
        ring = struct.pack("<BIII", 1, 3, 1, len(corners))
        ring += b"".join(struct.pack("<dd", *corner) for corner in corners)
        shape = b"GP\0\1" + struct.pack("<i", 4326) + struct.pack("<BII", 1, 6, 1) + ring
        base = sqlite3.connect(self.folder / "world_map.gpkg")
        base.execute("CREATE TABLE states_provinces(fid, iso_a2, name, gn_name, geom)")
        base.execute("INSERT INTO states_provinces VALUES (1, 'DE', 'Brandenburg', '', ?)", (shape,))
        base.commit()
        base.close()

    def test_reads_places_divisions_and_boundaries_and_says_what_is_missing(self):
        self.fill()
        done, output = self.make("--geonames", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cities500.zip (GeoNames, CC BY 4.0): 3 places", done.stdout)
        self.assertIn("missing: postal codes", done.stdout)
        self.assertIn("missing: names of states in other languages", done.stdout)
        self.assertEqual(done.stderr, "", "progress is for terminals")
        with sqlite3.connect(output) as base:
            kinds = dict(base.execute("SELECT name, kind FROM place WHERE name IN "
                                      "('Berlin', 'Mitte', 'State of Berlin', 'Germany')"))
            self.assertEqual(kinds, {"Berlin": 0, "Mitte": 1, "State of Berlin": 3, "Germany": 4})
            self.assertEqual(base.execute("SELECT count(*) FROM postal_cell").fetchone()[0], 0)
            area = base.execute("SELECT p.name FROM area JOIN place p ON p.id = state").fetchall()
            self.assertEqual(area, [("Brandenburg",)])
            attribution = base.execute("SELECT value FROM meta WHERE key = 'attribution'").fetchone()[0]
            self.assertTrue(attribution.startswith("Places and names: GeoNames"))

    def test_reads_postal_codes_and_alternate_names_where_they_are(self):
        self.fill()
        self.zip("allCountries.zip", "allCountries.txt", [
            "DE\t10115\tBerlin\tBerlin\tBE\t\t00\t\t\t52.53\t13.38\t6"])
        self.zip("alternateNamesV2.zip", "alternateNamesV2.txt", [
            "1\t101\tfr\tBrandebourg\t\t\t\t\t\t", "2\t101\tlink\thttps://example.org\t\t\t\t\t\t"])
        done, output = self.make("--geonames", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 postal codes", done.stdout)
        self.assertIn("alternateNamesV2.zip (GeoNames, CC BY 4.0): 1 other names", done.stdout)
        self.assertNotIn("missing:", done.stdout)
        with sqlite3.connect(output) as base:
            found = base.execute("SELECT rowid FROM others WHERE others MATCH 'brandebourg'").fetchall()
            self.assertEqual(len(found), 1)
            self.assertEqual(base.execute("SELECT count(*) FROM postal_cell").fetchone()[0], 1)

    def test_names_the_file_that_is_not_there(self):
        done, output = self.make("--geonames", self.folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("has no cities500.zip\nNext: ", done.stderr)
        self.assertFalse(output.exists())

    def test_names_the_folder_without_tables(self):
        done, _ = self.make("--data", self.folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("has no places/\nNext: ", done.stderr)


class DownloadTests(Scratch):
    source = {
        "registry": "pypi", "package": "thing", "version": "1", "file": "thing-1.whl",
        "sha256": hashlib.sha256(b"right").hexdigest(),
    }

    def sent(self, content):
        """A registry that sends a file with this content, or fails when there is none."""
        def fetch(source, folder):
            if content is None:
                return "Temporary failure in name resolution"
            Path(folder, source["file"]).write_bytes(content)
        return mock.patch.object(place_sources, "fetch_pypi", fetch)

    def test_keeps_what_has_the_pinned_hash_and_asks_only_once(self):
        with self.sent(b"right"):
            path = place_sources.download(self.source, self.folder)
        with self.sent(None):
            self.assertEqual(place_sources.download(self.source, self.folder), path)
        self.assertEqual(os.listdir(self.folder), ["thing-1.whl"])

    def test_uses_nothing_of_another_file(self):
        with self.sent(b"wrong"), self.assertRaises(place_sources.SourceError) as caught:
            place_sources.download(self.source, self.folder)
        self.assertIn("Nothing of it is used.\nNext: ", str(caught.exception))
        self.assertEqual(os.listdir(self.folder), [])

    def test_does_not_believe_a_file_that_was_changed_since(self):
        (self.folder / "thing-1.whl").write_bytes(b"changed")
        with self.sent(b"right"):
            path = place_sources.download(self.source, self.folder)
        self.assertEqual(Path(path).read_bytes(), b"right")

    def test_says_why_and_what_next_without_a_network(self):
        with self.sent(None), self.assertRaises(place_sources.SourceError) as caught:
            place_sources.download(self.source, self.folder)
        text = str(caught.exception)
        self.assertIn("name resolution", text)
        self.assertIn("\nNext: check the network", text)
        self.assertIn("put thing-1.whl into", text)

    def test_pins_every_source_by_version_and_hash(self):
        sources = place_sources.pinned()
        self.assertEqual(len(sources), 5)
        for source in sources.values():
            self.assertRegex(source["sha256"], r"^[0-9a-f]{64}$")
            self.assertIn(source["version"], source["file"])


if __name__ == "__main__":
    unittest.main()
