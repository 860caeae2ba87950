#!/usr/bin/env python3
"""Lists the statements of the behavior document with the tests that pin them.

SECTION is a number of a chapter (default: all). A test pins a statement by naming it
in its title; `AUTH-32 to AUTH-34` names a range. With --check the exit status is 1 while a
statement has neither a test nor a line in docs/statements-without-tests.md, or has both.

The numbers are those of docs/statements.tsv. Where the behavior document itself is at hand, --check
also compares the two, and --update writes the list anew.
"""
import argparse
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "statements.tsv"
REASONS = ROOT / "docs" / "statements-without-tests.md"
STATEMENT = re.compile(r"^- \*\*([A-Z]+-\d+[a-z]?)\*\*")
NAME = re.compile(r"\b([A-Z]+)-(\d+)([a-z]?)(?: to \1-(\d+))?\b")
TITLE = re.compile(r'@(?:Test|Suite)\(\s*((?:"(?:[^"\\]|\\.)*"[\s+]*)+)')


def read_document(behavior):
    """The statements of the behavior document, with their chapters, and whether Apple documents them."""
    found, chapter = [], 0
    for line in behavior.read_text().splitlines():
        if heading := re.match(r"^## (\d+)\.", line):
            chapter = int(heading[1])
        if match := STATEMENT.match(line):
            basis = "documented" if "documented" in line.rsplit("—", 1)[-1] else "other"
            found.append((match[1], chapter, basis))
    return found


def read_list():
    """The same as the repository remembers it."""
    rows = [line.split("\t") for line in LIST.read_text().splitlines()[1:]]
    return [(name, int(chapter), basis) for name, chapter, basis in rows]


def write_list(rows):
    lines = ["statement\tchapter\tbasis"] + ["\t".join(map(str, row)) for row in rows]
    LIST.write_text("\n".join(lines) + "\n")


def document(named):
    """The behavior document, where it is at hand."""
    shared = pathlib.Path(os.environ.get("MERIDIAN_SHARED", ROOT.parent / "shared"))
    candidates = [named] if named else [shared / "design" / "behaviour.md"]
    return next((file for file in candidates if file.exists()), None)


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
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    behavior = document(options.behavior)
    if behavior and options.update:
        write_list(read_document(behavior))
    rows = read_list()
    if behavior and options.check and rows != read_document(behavior):
        sys.exit("statement_coverage: docs/statements.tsv is older than the document: --update")
    pins, excuses = tests(), reasons()
    sections = options.sections or sorted({chapter for _, chapter, _ in rows})
    listed = [(name, basis == "documented") for name, chapter, basis in rows if chapter in sections]
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
