#!/usr/bin/env python3
"""Lists what the engine takes or decides that no code outside of tests and the simulator produces or carries out.

A statement that rests on such an input or output can be tested and still reach nobody. Each must
stand, with the statements that rest on it, in the table of README.md under "Not reachable yet";
with --check the exit status is 1 while one does not, or while a row has become untrue.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"
README = ROOT / "README.md"
HEADING = "### Not reachable yet"
# The engine itself, the worlds that stand in for a machine, and what only carries values.
NOT_REAL = {
    "LocationEngine", "LocationSimulation", "LocationTesting", "LocationModel",
    "LocationRecording", "LocationCoding", "LocationLink",
}
ROW = re.compile(r"^\| `(\w+) (\w+)` \| ([^|]*) \|")


# Keeps outputs in order until what they rest on is stored, and carries none of them out.
KEEPER = "HeldOutputs.swift"


def read(folders):
    """The text of all Swift files of some folders, without comments."""
    files = sorted(
        file for folder in folders for file in folder.rglob("*.swift") if file.name != KEEPER)
    return "\n".join(re.sub(r"//.*", "", file.read_text()) for file in files)


def body(text, start):
    """The text between the first brace after `start` and the one that closes it."""
    begin = text.index("{", start)
    depth = 0
    for index in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return text[begin + 1:index]
    raise ValueError("a brace is open")


def cases(text, declaration):
    """The cases of an enumeration, or the variables of a structure, in their order."""
    inside = body(text, re.search(declaration, text).start())
    # What is nested has cases of its own.
    flat = re.sub(r"\{[^{}]*\}", "", inside)
    return re.findall(r"^\s*(?:indirect )?case (\w+)", flat, re.MULTILINE) or re.findall(
        r"^\s*package var (\w+)", flat, re.MULTILINE)


def without_consumer(real, outputs):
    """The outputs that the host only passes over, in a `case` that does nothing."""
    acted = re.sub(
        r"\bcase (?:(?!\bcase\b)[^{}:])*:\s*(?:break|return)\s*\n", "", real)
    pattern = r"case (?:let )?\.(?:engine\(\.)?%s\b"
    return [name for name in outputs if not re.search(pattern % name, acted)]


def unreachable(engine, real, rules):
    """Pairs of a kind and a name, in the order of their declarations."""
    found = []
    for kind, names, text, pattern in rules:
        found += [(kind, name) for name in names if not re.search(pattern % name, text)]
    outputs = cases(engine, r"package indirect enum Output: Sendable")
    return found + [("output", name) for name in without_consumer(real, outputs)]


def survey():
    """What of the project as it stands is not reachable."""
    real = read(folder for folder in SOURCES.iterdir() if folder.name not in NOT_REAL)
    engine = read([SOURCES / "LocationEngine"])
    main = re.sub(r"//.*", "", (SOURCES / "LocationEngine/LocationEngine.swift").read_text())
    conditions = (SOURCES / "LocationEngine/Conditions/Conditions.swift").read_text()
    policy = (SOURCES / "LocationEngine/Delivery/DeliveryRule.swift").read_text()
    handed = r"\b(?:ask|step|tell|begin|handle)\(\s*(?:\.engine\(\s*)?\.%s\b"
    rules = [
        ("input", cases(main, r"package enum Input: MachineInput"), real, handed),
        ("event", cases(engine, r"package enum ClientEvent"), real, r"\.client\(\s*\w+, \.%s\b"),
        ("setting", cases(engine, r"package enum Setting"), real,
         r"(?:\.setting\(\s*|map \{ |\+ \[)\.%s\b"),
        ("condition", cases(conditions, r"package enum Input: MachineInput"), engine,
         r"(?<!case )\.%s\b"),
        ("policy", cases(policy, r"package struct LaunchPolicy"), engine,
         r"(?:policy|\$0)\.%s = "),
    ]
    return unreachable(main, real, rules)


def named(text):
    """The rows of the table: the statements by kind and name."""
    rows = {}
    for line in text.partition(HEADING)[2].partition("\n#")[0].splitlines():
        if match := ROW.match(line):
            rows[match[1], match[2]] = re.findall(r"[A-Z]+-\d+[a-z]?", match[3])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    found, rows = survey(), named(README.read_text())
    faults = [f"{kind} {name}: has no end outside of tests, and no row in README.md"
              for kind, name in found if (kind, name) not in rows]
    faults += [f"{kind} {name}: README.md calls it not reachable, and it is"
               for kind, name in rows if (kind, name) not in found]
    for kind, name in found:
        print(f"{kind} {name}: {', '.join(rows.get((kind, name), [])) or '?'}")
    print("\n".join(f"FAULT {fault}" for fault in faults), end="\n" if faults else "")
    statements = {name for names in rows.values() for name in names}
    print(f"{len(found)} not reachable, on which {len(statements)} statements rest, "
          f"{len(faults)} faults")
    return 1 if options.check and faults else 0


if __name__ == "__main__":
    sys.exit(main())
