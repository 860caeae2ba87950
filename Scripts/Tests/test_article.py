"""The ten-minute article shows what the examples do: its code stands in their tests, line by line."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARTICLE = ROOT / "Sources/LocationTesting/LocationTesting.docc/testing-an-app.md"
TESTS = ROOT / "Examples/Tests/ErrandsTests/ErrandReminderTests.swift"


class ArticleTests(unittest.TestCase):
    def test_code_is_that_of_the_examples(self):
        blocks = re.findall(r"```swift\n(.*?)```", ARTICLE.read_text(), re.S)
        manifests = [block for block in blocks if "PackageDescription" in block]
        self.assertEqual(len(manifests), 1)
        self.assertGreaterEqual(len(blocks), 4)
        # The last line of the whole file closes the suite, which goes on in the examples.
        for block in blocks:
            if block not in manifests:
                self.assertIn(block.removesuffix("\n}\n"), TESTS.read_text())


if __name__ == "__main__":
    unittest.main()
