"""What of the engine has no end on a real machine: one input of each kind is planted that nobody produces."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

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
  /// Everything is reset (AUTH-7).
  case reset
  var inner: Int { switch self { case .reset: 1 } }
}
"""

MACHINE = """
package struct Stay: Machine {
  package enum Input: MachineInput {
    case fix(Fix)
    case start, stop
    /// Nobody sends it (VISIT-9).
    case planted(Int)
    case wake
  }
  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .fix(let fix): return take(fix)
    case .start, .stop: return []
    case .planted(let number): return [.store(number)]
    case .wake: return []
    }
  }
}
"""
OWNER = """
struct Owner {
  private var stay = Stay()
  mutating func follow(_ on: Bool) { _ = stay.handle(on ? .start : .stop, at: now) }
  mutating func look() { other.handle(.planted(1), at: now); pass(.fix(x)) }
  mutating func pass(_ input: Stay.Input) { stay.handle(input, at: now) }
}
"""


class Reachability(unittest.TestCase):
    def missing(self, owner, machine=MACHINE):
        code = reachability.strip(machine) + reachability.strip(owner)
        names = reachability.cases(machine, r"enum Input: MachineInput")
        expressions = reachability.zones(code, "Stay.Input", "Input", reachability.strip(machine))
        expressions += reachability.handled(code, "Stay")
        return [name for name in names if name not in reachability.built(names, expressions)]

    def test_cases(self):
        self.assertEqual(
            reachability.cases(ENGINE, r"package enum Setting"), ["services", "reset"])
        self.assertEqual(
            reachability.cases(MACHINE, r"enum Input: MachineInput"),
            ["fix", "start", "stop", "planted", "wake"])

    def test_machines(self):
        self.assertEqual(reachability.machines(MACHINE), ["Stay"])

    def test_an_input_of_a_machine_that_only_another_one_takes(self):
        self.assertEqual(self.missing(OWNER), ["planted", "wake"])

    def test_an_input_that_is_built_in_any_way(self):
        for way in ["let input: Stay.Input = .planted(2)\n", "x(Stay.Input.planted(2))",
                    "var next: [Stay.Input] { [.planted(2)] }",
                    "func next() -> Stay.Input { .planted(2) }", "pass(.planted(2))",
                    "let inputs: [Stay.Input] = [\n.stop, .planted(2),\n]\n"]:
            self.assertEqual(self.missing(OWNER + way), ["wake"], way)

    def test_a_pattern_builds_nothing(self):
        way = "func look(_ input: Stay.Input) -> Bool { if case .planted = input { true } else { false } }"
        self.assertEqual(self.missing(OWNER + way), ["planted", "wake"])

    def test_an_input_whose_method_is_called(self):
        self.assertEqual(
            reachability.called(["fix", "planted"], MACHINE, MACHINE + "stay.take(x)"), {"fix"})

    def test_a_reason_that_nobody_gives(self):
        code = "case hold(InUseReason)\n use(.hold(.session))\n"
        expressions = reachability.zones(code, "InUseReason", "InUseReason")
        self.assertEqual(reachability.built(["session", "planted"], expressions), {"session"})

    def test_an_output_that_is_passed_over_has_no_consumer(self):
        real = "case .engine(.launch(let app)): start(app)\n case .engine(.indicator): break\n"
        self.assertEqual(
            reachability.without_consumer(real, ["launch", "indicator"]), ["indicator"])
        acted = real.replace("break", "show()")
        self.assertEqual(reachability.without_consumer(acted, ["launch", "indicator"]), [])

    def test_a_parameter_with_a_default_that_nobody_passes(self):
        code = """
package struct Detector: Machine {
  package init(planted: Duration? = nil, isRunning: Bool = false) {
  }
}
let detector = Detector(isRunning: true)
"""
        self.assertEqual(reachability.idle_parameters(code, code), ["Detector.planted"])
        used = code + "let other = Detector(planted: x)"
        self.assertEqual(reachability.idle_parameters(code, used), [])

    def test_statements_stand_at_the_case_and_in_titles(self):
        self.assertEqual(
            reachability.documented(ENGINE, r"package enum Setting", "reset"), ["AUTH-7"])
        self.assertEqual(
            reachability.documented(MACHINE, r"enum Input: MachineInput", "planted"), ["VISIT-9"])
        test = '@Test("AUTH-8: resets") func a() { bench.send(.setting(.reset)) }'
        other = '@Test("AUTH-9: not") func b() { bench.send(.setting(.services(on: true))) }'
        self.assertEqual(reachability.titles("reset", [test + other]), ["AUTH-8"])

    def test_the_check_fails_on_what_is_planted_in_the_engine(self):
        with tempfile.TemporaryDirectory() as folder:
            sources = Path(folder) / "Sources"
            shutil.copytree(reachability.SOURCES, sources)
            main = sources / reachability.ENGINE / "LocationEngine.swift"
            text = main.read_text()
            for declaration, case in [
                    ("package enum Input: MachineInput {", "/// (AUTH-7)\n    case sown(Int)"),
                    ("package indirect enum Output: Sendable {", "case reaped(Int)")]:
                self.assertEqual(text.count(declaration), 1)
                text = text.replace(declaration, f"{declaration}\n    {case}")
            main.write_text(text)
            with mock.patch.object(reachability, "SOURCES", sources):
                found = reachability.survey()
            faults = reachability.compare(
                found, reachability.named(reachability.README.read_text()))
        self.assertEqual(faults, [
            "input sown: has no end outside of tests, and no row in README.md",
            "output reaped: has no end outside of tests, and no row in README.md"])
        self.assertEqual(found["input", "sown"], ["AUTH-7"])

    def test_rows(self):
        text = (f"{reachability.HEADING}\n\n| what | statements | why |\n|---|---|---|\n"
                "| `setting reset` | AUTH-7, AUTH-8a | not built |\n| `use planted` | none | |\n\n"
                "## Next\n| `setting services` | AUTH-1 | elsewhere |\n")
        rows = reachability.named(text)
        self.assertEqual(rows, {("setting", "reset"): (["AUTH-7", "AUTH-8a"], "not built"),
                                ("use", "planted"): ([], "")})
        found = {("setting", "reset"): ["AUTH-7"], ("use", "planted"): [], ("event", "quit"): []}
        faults = "\n".join(reachability.compare(found, rows))
        for part in ["event quit: has no end", "setting reset: its statements",
                     "use planted: its row in README.md gives no reason"]:
            self.assertIn(part, faults)
        self.assertIn("calls it not reachable, and it is", "\n".join(
            reachability.compare({}, rows)))


if __name__ == "__main__":
    unittest.main()
