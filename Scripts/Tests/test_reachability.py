"""What of the engine has no end on a real machine."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

import reachability  # noqa: E402

ENGINE = """
package enum Input: MachineInput { }
package indirect enum Output: Sendable {
  case launch(App)
  case indicator(App, Bool)
}
package enum Setting {
  case services(on: Bool)
  case reset
  var inner: Int { switch self { case .reset: 1 } }
}
"""


class Reachability(unittest.TestCase):
    def test_cases(self):
        self.assertEqual(
            reachability.cases(ENGINE, r"package enum Setting"), ["services", "reset"])

    def test_an_output_that_is_passed_over_has_no_consumer(self):
        real = "case .engine(.launch(let app)): start(app)\n case .engine(.indicator): break\n"
        self.assertEqual(
            reachability.without_consumer(real, ["launch", "indicator"]), ["indicator"])
        acted = real.replace("break", "show()")
        self.assertEqual(reachability.without_consumer(acted, ["launch", "indicator"]), [])

    def test_a_setting_that_nobody_gives(self):
        rules = [("setting", ["services", "reset"], "tell(.setting(.services(on: x)))",
                  r"\.setting\(\.%s\b")]
        real = "case .launch(let app): start(app)\n case .indicator(let app, _): show(app)\n"
        self.assertEqual(
            reachability.unreachable(ENGINE, real, rules), [("setting", "reset")])

    def test_rows(self):
        text = (f"{reachability.HEADING}\n\n| what | statements | why |\n|---|---|---|\n"
                "| `setting reset` | AUTH-7, AUTH-8a | none |\n\n## Next\n"
                "| `setting services` | AUTH-1 | elsewhere |\n")
        self.assertEqual(
            reachability.named(text), {("setting", "reset"): ["AUTH-7", "AUTH-8a"]})

    def test_the_project(self):
        self.assertIn(("setting", "reset"), reachability.survey())


if __name__ == "__main__":
    unittest.main()
