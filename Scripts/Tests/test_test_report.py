"""What `make test` says of tests that did not run, and of the statements that they pin."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test(identifier, name, kind="function", arguments=False):
    payload = {"id": identifier, "displayName": name, "name": "f()", "kind": kind}
    if kind == "function":
        payload["isParameterized"] = arguments
    return {"kind": "test", "payload": payload}


def event(kind, identifier, text=""):
    return {"kind": "event", "payload": {
        "kind": kind, "testID": identifier, "messages": [{"symbol": "default", "text": text}]}}


RUN = [
    test("T.Places", "Places", "suite"), test("T.Places/a()/F.swift:1:1", "GEO-1: are found"),
    test("T.Places/b()/F.swift:2:1", "have names"),
    test("T.Fixes", "Fixes", "suite"), test("T.Fixes/a()/F.swift:3:1", "GEO-2: come"),
    test("T.Fixes/b(x:)/F.swift:4:1", "GEO-3: are whole", arguments=True),
    test("T.Fixes/c(x:)/F.swift:5:1", "GEO-4: agree", arguments=True),
    test("T.Fixes/d()/F.swift:6:1", "GEO-5: wait"),
    event("testSkipped", "T.Places", 'Suite "Places" skipped: "no index: make places"'),
    event("testSkipped", "T.Places/a()/F.swift:1:1", 'Test "x" skipped: "no index: make places"'),
    event("testSkipped", "T.Places/b()/F.swift:2:1", 'Test "x" skipped: "no index: make places"'),
    event("testStarted", "T.Fixes"), event("testStarted", "T.Fixes/a()/F.swift:3:1"),
    event("testStarted", "T.Fixes/b(x:)/F.swift:4:1"),
    event("testStarted", "T.Fixes/c(x:)/F.swift:5:1"),
    event("testCaseStarted", "T.Fixes/c(x:)/F.swift:5:1"),
    event("testSkipped", "T.Fixes/d()/F.swift:6:1", 'Test "x" skipped: "only root can"'),
]


class ReportTests(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def say(self, script, *arguments, events=RUN):
        file = self.folder / "events.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in events))
        return subprocess.run(
            [sys.executable, ROOT / "Scripts" / script, *arguments, file], capture_output=True,
            text=True, check=True).stdout

    def test_names_failures_first(self):
        issue = {"isKnown": False, "sourceLocation": {"fileID": "T/F.swift", "line": 7}}
        records = RUN + [event("issueRecorded", "T.Places/a()/F.swift:1:1", "no such place"),
                         event("issueRecorded", "T.Places/b()/F.swift:2:1", "as it has been")]
        records[-2]["payload"]["issue"] = issue
        records[-1]["payload"]["issue"] = issue | {"isKnown": True}
        said = self.say("test_report.py", events=records)
        self.assertIn("failed: T/F.swift:7\n    Places: GEO-1: are found\n    no such place\n", said)
        self.assertNotIn("as it has been", said)

    def test_lists_reason_suite_and_test(self):
        log = self.folder / "scripts.log"
        log.write_text("test_a (test_b.C.test_a) ... skipped 'no pip'\ntest_d (test_b.C) ... ok\n")
        self.assertEqual(self.say("test_report.py", "--unittest", log), """\
2 Swift tests ran; 5 tests were skipped:
1 × it had no arguments
    Fixes: GEO-3: are whole
2 × no index: make places
    Places: all 2
1 × no pip
    test_b.C.test_a: test_a
1 × only root can
    Fixes: GEO-5: wait
""")

    def test_says_that_nothing_was_skipped(self):
        events = [test("T.A", "A", "suite"), test("T.A/a()/F.swift:1:1", "x"),
                  event("testStarted", "T.A/a()/F.swift:1:1")]
        self.assertEqual(
            self.say("test_report.py", events=events), "all 1 Swift tests ran; none was skipped\n")

    def test_counts_no_statement_as_tested_whose_tests_were_all_skipped(self):
        last = self.say("statement_coverage.py", "10", "--ran").splitlines()[-1]
        self.assertIn(" 2 tested in this run, ", last)
        for name in ("GEO-1", "GEO-3", "GEO-5"):
            self.assertRegex(last, rf"none ran \(.*{name}[,)]")
        for name in ("GEO-2", "GEO-4"):
            self.assertNotRegex(last, rf"\b{name}[,)]")


if __name__ == "__main__":
    unittest.main()
