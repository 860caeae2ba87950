"""The faults that Scripts/mutations.py plants: their places move with the code."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import mutations  # noqa: E402


class FaultTests(unittest.TestCase):
    def test_each_fault_has_its_place(self):
        for name, (file, code, wrong) in mutations.FAULTS.items():
            with self.subTest(name):
                text = (mutations.ROOT / mutations.ENGINE / file).read_text()
                self.assertNotEqual(mutations.planted(text, 1, code, wrong), text)


if __name__ == "__main__":
    unittest.main()
