"""The recordings of the examples are files of gpsd's source package, unchanged."""

import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / ".build/gpsd-logs"


class RecordingTests(unittest.TestCase):
    @unittest.skipUnless(LOGS.is_dir(), "no receiver logs: Scripts/gpsd_logs.sh fetches them")
    def test_are_what_gpsd_ships(self):
        recordings = sorted((ROOT / "Examples/Recordings").glob("*.log"))
        self.assertTrue(recordings)
        for file in recordings:
            self.assertEqual(file.read_bytes(), (LOGS / file.name).read_bytes(), file.name)

    @unittest.skipUnless(LOGS.is_dir(), "no receiver logs: Scripts/gpsd_logs.sh fetches them")
    def test_may_be_used(self):
        self.assertIn("SPDX short identifier: BSD-2-Clause", (LOGS / "COPYING").read_text())


if __name__ == "__main__":
    unittest.main()
