#!/usr/bin/env python3
"""Lists the statements of docs/behavior.md with the tests that pin them.

SECTION is a number of a chapter (default: all). A test pins a statement by naming it
in its title; `AUTH-32 to AUTH-34` names a range. With --check the exit status is 1 while a
statement has neither a test nor a line in docs/statements-without-tests.md, or has both. What README.md
calls not reachable yet (see Scripts/reachability.py) does not count as tested.

With --ran, the event streams of a test run, a statement counts as tested only when one of its tests
ran; those of which none did are listed.
"""
import argparse
import pathlib
import re
import sys

import reachability
from test_report import TestRun

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEHAVIOR = ROOT / "docs" / "behavior.md"
REASONS = ROOT / "docs" / "statements-without-tests.md"
STATEMENT = re.compile(r"^- \*\*([A-Z]+-\d+[a-z]?)\*\*")
NAME = re.compile(r"\b([A-Z]+)-(\d+)([a-z]?)(?: to \1-(\d+))?\b")
TITLE = re.compile(r'@(?:Test|Suite)\(\s*((?:"(?:[^"\\]|\\.)*"[\s+]*)+)')


def read_document():
    """The statements, with their chapters, and whether Apple documents them."""
    found, chapter = [], 0
    for line in BEHAVIOR.read_text().splitlines():
        if heading := re.match(r"^## (\d+)\.", line):
            chapter = int(heading[1])
        if match := STATEMENT.match(line):
            found.append((match[1], chapter, "documented" in line.rsplit("—", 1)[-1]))
    return found


def names(text):
    """The statements that a title names."""
    for prefix, first, letter, last in NAME.findall(text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{prefix}-{number}{letter}"


def tests():
    """The titles of tests, by the statement they name."""
    pins = {}
    for file in sorted((ROOT / "Tests").rglob("*.swift")):
        for literal in TITLE.findall(file.read_text()):
            title = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literal))
            for name in names(title):
                pins.setdefault(name, []).append(f"{file.stem}: {title}")
    return pins


def reasons():
    """The reasons that stand in for tests, by statement."""
    if not REASONS.exists():
        return {}
    return dict(re.findall(r"^- ([A-Z]+-\d+[a-z]?): (.+)$", REASONS.read_text(), re.MULTILINE))


def show(listed, pins, excuses):
    """Prints each statement; returns those without test and reason, and whether one has both."""
    missing = []
    for name, documented in listed:
        for title in pins.get(name, []):
            print(f"{name:9} {title}")
        if name in pins and name in excuses:
            print(f"{name:9} STALE: has a test and needs no reason any more")
        elif name in excuses:
            print(f"{name:9} no test: {excuses[name]}")
        elif name not in pins:
            print(f"{name:9} MISSING{'' if documented else ' (our choice)'}")
            missing.append(documented)
    return missing, any(name in pins and name in excuses for name, _ in listed)


def tested(pins, events):
    """The statements with a test that ran."""
    return {name for title in TestRun(events).titles_that_ran for name in names(title)} & set(pins)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", type=int, metavar="SECTION")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--ran", nargs="+", metavar="EVENTS")
    options = parser.parse_args()
    rows, pins, excuses = read_document(), tests(), reasons()
    sections = options.sections or sorted({chapter for _, chapter, _ in rows})
    listed = [(name, documented) for name, chapter, documented in rows if chapter in sections]
    missing, stale = show(listed, pins, excuses)
    unreachable = {
        name for names, _ in reachability.named(reachability.README.read_text()).values()
        for name in names}
    pinned = [name for name, _ in listed if name in pins and name not in unreachable]
    figure = f"{len(pinned)} with tests"
    if options.ran:
        ran = tested(pins, options.ran)
        skipped = [name for name in pinned if name not in ran]
        figure = f"{len(pinned) - len(skipped)} tested in this run, " \
            f"{len(skipped)} with tests of which none ran" \
            + (f" ({', '.join(skipped)})" if skipped else "")
    out = [name for name, _ in listed if name in unreachable]
    print(
        f"{len(listed)} statements: {figure}, {len(out)} not reachable ({', '.join(out)}), "
        f"{len(listed) - len(pinned) - len(missing) - len(out)} with a reason, "
        f"{len(missing)} missing, "
        f"{sum(missing)} of these documented"
    )
    return 1 if options.check and (missing or stale) else 0


if __name__ == "__main__":
    sys.exit(main())
