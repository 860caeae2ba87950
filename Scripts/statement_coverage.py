#!/usr/bin/env python3
"""Lists the statements of the behavior document with the tests that pin them.

SECTION is a number of a chapter (default: 2 3 11 13 14 15). A test pins a statement by naming it
in its title; `AUTH-32 to AUTH-34` names a range. With --check the exit status is 1 while a
statement has neither a test nor a line in docs/statements-without-tests.md, or has both.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REASONS = ROOT / "docs" / "statements-without-tests.md"
STATEMENT = re.compile(r"^- \*\*([A-Z]+-\d+[a-z]?)\*\*")
NAME = re.compile(r"\b([A-Z]+)-(\d+)([a-z]?)(?: to \1-(\d+))?\b")
TITLE = re.compile(r'@(?:Test|Suite)\(\s*((?:"(?:[^"\\]|\\.)*"[\s+]*)+)')


def statements(behavior, sections):
    """The statements of the chapters in their order, and whether Apple documents them."""
    found, chapter = [], None
    for line in behavior.read_text().splitlines():
        if heading := re.match(r"^## (\d+)\.", line):
            chapter = int(heading[1])
        if (match := STATEMENT.match(line)) and chapter in sections:
            found.append((match[1], "documented" in line.rsplit("—", 1)[-1]))
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", type=int, metavar="SECTION")
    parser.add_argument("--behavior", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    candidates = [ROOT / "docs" / "behavior.md", ROOT.parent / "shared/design/behaviour.md"]
    behavior = options.behavior or next((file for file in candidates if file.exists()), None)
    if behavior is None or not behavior.exists():
        sys.exit("statement_coverage: no behavior document; name it with --behavior FILE")
    pins, excuses = tests(), reasons()
    listed = statements(behavior, options.sections or [2, 3, 11, 13, 14, 15])
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
    pinned = sum(name in pins for name, _ in listed)
    stale = any(name in pins and name in excuses for name, _ in listed)
    print(
        f"{len(listed)} statements: {pinned} with tests, "
        f"{len(listed) - pinned - len(missing)} with a reason, {len(missing)} missing, "
        f"{sum(missing)} of these documented"
    )
    return 1 if options.check and (missing or stale) else 0


if __name__ == "__main__":
    sys.exit(main())
