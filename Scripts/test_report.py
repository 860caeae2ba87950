#!/usr/bin/env python3
"""Lists the tests that failed and those that did not run, each with its suite and the reason.

Usage: test_report.py [--unittest LOG] EVENTS...

EVENTS are what `swift test --event-stream-output-path` wrote, LOG what `unittest -v` printed. A test
counts as run when it began, and with arguments when one of its cases did: a list of arguments may be
empty.
"""
import argparse
import json
import os
import re
from collections import defaultdict

# The most characters shown of what went wrong in a test: its values may be whole files.
ISSUE_LENGTH = 2000

class TestRun:
    """The tests of Swift Testing, and which of them ran."""

    def __init__(self, files):
        self.names, self.functions, self.with_arguments = {}, set(), set()
        self.ran, self.reasons, self.issues = set(), {}, []
        for file in files:
            if os.path.exists(file):
                with open(file, encoding="utf-8") as lines:
                    for line in lines:
                        self.add(json.loads(line))

    def add(self, record):
        payload = record["payload"]
        if record["kind"] == "test":
            self.names[payload["id"]] = payload.get("displayName") or payload["name"]
            if payload["kind"] == "function":
                self.functions.add(payload["id"])
                if payload["isParameterized"]:
                    self.with_arguments.add(payload["id"])
        elif payload["kind"] in ("testStarted", "testCaseStarted"):
            test = payload["testID"]
            is_case = payload["kind"] == "testCaseStarted"
            if test in self.functions and (is_case or test not in self.with_arguments):
                self.ran.add(test)
        elif payload["kind"] == "testSkipped":
            said = payload["messages"][0]["text"].split(" skipped", 1)[-1]
            self.reasons[payload["testID"]] = said.strip(': "') or "no reason given"

        elif payload["kind"] == "issueRecorded" and not payload["issue"]["isKnown"]:
            self.issues.append((payload.get("testID"), payload["issue"], payload["messages"]))

    @property
    def failures(self):
        """(place, suite and test, what went wrong) of each issue, in the order of the run."""
        for test, issue, messages in self.issues:
            place = issue.get("sourceLocation")
            yield (f"{place['fileID']}:{place['line']}" if place else "no place",
                   f"{self.names.get(self.suite(test), '')}: {self.names[test]}" if test in self.names
                   else "no test",
                   "; ".join(message["text"] for message in messages)[:ISSUE_LENGTH])

    def suite(self, test):
        """The suite around a test: the longest part of its identifier that is one."""
        parts = test.split("/")
        return next(("/".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)
                     if "/".join(parts[:n]) in self.names), parts[0].split(".")[0])

    @property
    def skipped(self):
        """(reason, suite, test) of each test that did not run, by name."""
        found = []
        for test in self.functions - self.ran:
            suite = self.suite(test)
            reason = self.reasons.get(test) or self.reasons.get(suite) or "it had no arguments"
            found.append((reason, self.names.get(suite, suite), self.names[test]))
        return sorted(found)

    @property
    def titles_that_ran(self):
        """The names of the tests that ran, and of the suites around them."""
        titles = set()
        for test in self.ran:
            parts = test.split("/")
            titles.update(self.names.get("/".join(parts[:n]), "") for n in range(1, len(parts) + 1))
        return titles


def skipped_by_unittest(log):
    if not log or not os.path.exists(log):
        return []
    with open(log, encoding="utf-8") as file:
        found = re.findall(r"^(\w+) \(([\w.]+)\).*?\.\.\. skipped '(.*)'$", file.read(), re.MULTILINE)
    return [(reason, suite, name) for name, suite, reason in found]


def lines(skipped, sizes):
    """The list, by reason and suite; a suite of which nothing ran is one line."""
    reasons = defaultdict(lambda: defaultdict(list))
    for reason, suite, test in skipped:
        reasons[reason][suite].append(test)
    for reason, suites in sorted(reasons.items()):
        yield f"{sum(map(len, suites.values()))} × {reason}"
        for suite, tests in sorted(suites.items()):
            if len(tests) > 1 and len(tests) == sizes.get(suite):
                yield f"    {suite}: all {len(tests)}"
            else:
                yield from (f"    {suite}: {test}" for test in tests)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--unittest", metavar="LOG")
    parser.add_argument("events", nargs="*", metavar="EVENTS")
    options = parser.parse_args()
    run = TestRun(options.events)
    for failure in run.failures:
        print("failed: " + "\n    ".join(failure))
    skipped = run.skipped + skipped_by_unittest(options.unittest)
    if not skipped:
        print(f"all {len(run.functions)} Swift tests ran; none was skipped")
        return
    sizes = defaultdict(int)
    for test in run.functions:
        suite = run.suite(test)
        sizes[run.names.get(suite, suite)] += 1
    print(f"{len(run.functions & run.ran)} Swift tests ran; {len(skipped)} tests were skipped:")
    print("\n".join(lines(skipped, sizes)))


if __name__ == "__main__":
    main()
