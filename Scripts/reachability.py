#!/usr/bin/env python3
"""Lists what the engine takes or decides that nothing on a real machine produces or carries out.

A statement that rests on such an input or output can be tested and still reach nobody. Each stands in the
table of README.md under "Not reachable yet", with the statements that its documentation and the titles of
its tests name, or `none` and a reason; with --check the exit status is 1 while a row is missing, has
become untrue, or names other statements.

Looked at are the cases of every input of a machine of the engine (`MachineInput`) and of the enumerations
that they carry, its outputs, the failures that apps receive, and parameters with a default that no call
passes. A case is produced where an expression of its own type builds it: an argument of a function, or of
a case, that takes this type, the value of a declaration, or the body of a function that returns it. So
cases of two enumerations with the same name are distinguished. What enters the engine must be produced by a
target that runs on a machine, and both in an app's own process and in the daemon, except where
DAEMON_ONLY says why not.
"""
import argparse
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"
TESTS = ROOT / "Tests"
README = ROOT / "README.md"
HEADING = "### Not reachable yet"
ENGINE = "LocationEngine"
# The worlds that stand in for a machine, and what only carries values.
NOT_REAL = {
    "LocationSimulation", "LocationTesting", "LocationRecording", "LocationCoding", "LocationLink",
    "LocationModel",
}
# Targets that only the daemon has, or the owner's tool.
DAEMON = {"LocationDaemon", "locationd", "locationctl"}
# What an app's own process has no end for, and why.
DAEMON_ONLY = {
    ("input", "launchable"): "only a daemon starts apps",
    ("input", "unlocked"): "only a daemon starts apps",
    ("event", "frozen"): "a frozen process runs no engine",
    ("setting", "services"): "an app's process reads the stored switch",
    ("setting", "authorization"): "an app's process reads the stored decision",
    ("setting", "precise"): "an app's process reads the stored decision",
    ("setting", "beacon"): "an app's process reads the stored decision",
    ("setting", "reset"): "an app's process reads the stored decision",
    ("setting", "beaconOffset"): "an app's process reads the stored calibration",
    ("setting", "restricted"): "the owner's configuration is the daemon's",
    ("setting", "backgroundRefresh"): "only a daemon starts apps",
    ("setting", "honorsQuit"): "only a daemon starts apps",
    ("setting", "remindAfter"): "a reminder needs the days of a daemon",
    ("output", "ignored"): "sources count what they reject; the log is the daemon's",
    ("output", "launch"): "only a daemon starts apps",
    ("output", "wakeApp"): "a suspended process runs no engine",
    ("output", "runtimeOver"): "a process suspends itself for nobody",
}
ROW = re.compile(r"^\| `(\w+) ([\w.]+)` \|([^|\n]*)\|([^|\n]*)\|", re.MULTILINE)
STATEMENT = re.compile(r"\b[A-Z]+-\d+[a-z]?\b")
# Keeps outputs in order until what they rest on is stored, and carries none of them out.
KEEPER = "HeldOutputs.swift"
OPEN, CLOSE = "([{", ")]}"


class Text:
    """The Swift files of some folders: code without comments and literals, and the documentation."""

    def __init__(self, files):
        self.files = {file: strip(file.read_text()) for file in files if file.name != KEEPER}
        self.code = "\n".join(self.files.values())


def strip(text):
    """Swift without comments, and with empty string literals."""
    text = re.sub(r'""".*?"""', '""', text, flags=re.DOTALL)
    text = re.sub(r'(?<!\\)"(?:[^"\\\n]|\\.)*"', '""', text)
    return re.sub(r"//.*", "", text)


def swift(*targets):
    return Text(sorted(
        file for target in targets for file in (SOURCES / target).rglob("*.swift")))


@functools.lru_cache
def ends(text):
    """Where each bracket of a text closes, by where it opens."""
    found, opened = {}, []
    for match in re.finditer(r"[()\[\]{}]", text):
        if match[0] in OPEN:
            opened.append(match.start())
        elif opened:
            found[opened.pop()] = match.start()
    return found


def enclosed(text, start):
    """The text between the bracket at `start` and the one that closes it."""
    return text[start + 1:ends(text).get(start, len(text))]


def body(text, declaration):
    """What stands in the braces of a declaration."""
    return enclosed(text, text.index("{", re.search(declaration, text).start()))


def cases(text, declaration):
    """The cases of an enumeration, or the variables of a structure, in their order."""
    inside = re.sub(r"//.*", "", body(text, declaration))
    # What is nested has cases of its own.
    flat = re.sub(r"\{[^{}]*\}", "", inside)
    names = re.findall(r"^\s*(?:indirect )?case ([^(\n]+)", flat, re.MULTILINE)
    found = [name.split("=")[0].strip() for line in names for name in line.split(",")]
    return found or re.findall(r"^\s*package var (\w+)", flat, re.MULTILINE)


def machines(text):
    """The names of the machines whose inputs a text declares: `Visits`, `StandardUpdates`, ….

    An input that is declared outside of a type has its own name.
    """
    found = []
    for match in re.finditer(r"enum (\w+): MachineInput\b", text):
        owners = re.findall(r"^(?:package )?(?:struct|extension|enum) (\w+)", text[:match.start()],
                            re.MULTILINE)
        found.append(owners[-1] if match[1] == "Input" else match[1])
    return found


class Index:
    """What is looked for in a text again and again, found in one pass."""

    def __init__(self, code):
        self.code = code
        # The brackets of everything that reads as a call or a declaration, by its name.
        self.openings = {}
        for match in re.finditer(r"\b(\w+)\(", code):
            self.openings.setdefault(match[1], []).append(match.end() - 1)
        # The names of all functions, and the text of their parameters.
        self.signatures = [
            (match[1], enclosed(code, match.end() - 1))
            for match in re.finditer(r"func (\w+)(?:<[^>\n]*>)?\(", code)]
        # The names of all cases with values, and the rest of their lines.
        self.cases = re.findall(r"\bcase (\w+)\(([^\n]*)", code)
        # The variable that takes an input, and the bracket of its argument.
        self.handles = [
            (match[1], match.end(2) - 1) for match in re.finditer(
                r"(?=\b(\w+)((?:\.entries)?(?:\[[^\]]*\])?[?!]?(?:\.service|\.machine)?[?!]?"
                r"\.handle\())", code)]
        self.methods = set(re.findall(r"(?<=\w)\.(\w+)\(", code))

    def places(self, word):
        """Where a word begins."""
        start = self.code.find(word)
        while start >= 0:
            end = start + len(word)
            if not re.match(r"\w", self.code[start - 1:start] or " ") and not re.match(
                    r"\w", self.code[end:end + 1] or " "):
                yield start
            start = self.code.find(word, end)


@functools.lru_cache
def index(code):
    return Index(code)


def zones(code, qualified, short, own=""):
    """The expressions whose type is an enumeration, by its names within and outside of its type.

    `own` is the code where the short name `Input` means this enumeration.
    """
    found = []
    for text, name in [(code, qualified)] + ([(own, short)] if own else []):
        for taker in takers(index(text), name):
            for opening in index(code).openings.get(taker, []):
                start = opening - len(taker)
                before = code[max(0, start - 5):start]
                if not before.endswith(("func ", "case ")) and not is_pattern(code, start):
                    found.append(enclosed(code, opening))
        for start in index(text).places(name):
            before, end = text[max(0, start - 40):start], start + len(name)
            declared = re.compile(r"[\]?]*\s*=\s*").match(text, end)
            if declared and re.search(r":\s*\[?$", before):
                found.append(statement(text, declared.end()))
            returned = re.compile(r"[\]?]*\s*\{").match(text, end)
            if returned and re.search(r"(?:->|:)\s*\[?$", before):
                found.append(enclosed(text, returned.end() - 1))
            case = re.compile(r"\.(\w+)").match(text, end)
            if case:
                found.append("." + case[1])
    return found


def takers(text, name):
    """The functions and cases that take an enumeration."""
    kind = re.escape(name)
    parameter = re.compile(r":\s*(?:inout )?\[?%s\b" % kind)
    value = re.compile(r"(?:[^()\n]*[ (,])?%s\b" % kind)
    found = {function for function, parameters in text.signatures
             if name in parameters and parameter.search(parameters)}
    found |= {case for case, values in text.cases if name in values and value.match(values)}
    return found - {"handle"}


def is_pattern(code, start):
    """Whether what begins here takes a value apart: `case .name(`, also after others in a list."""
    line = code[code.rfind("\n", 0, start) + 1:start]
    before = code[max(0, start - 400):start]
    clause = re.search(r"\bcase\b(?:(?!\bcase\b)[^{}:=\n]|,\n)*$", before)
    return bool(clause) and "=" not in line.split("case")[-1]


def statement(code, start):
    """The rest of a statement: to the end of the first line in which no bracket is open."""
    depth = 0
    for index in range(start, len(code)):
        depth += (code[index] in OPEN) - (code[index] in CLOSE)
        if depth < 0 or depth == 0 and code[index] == "\n" and code[start:index].strip():
            return code[start:index]
    return code[start:]


def handled(code, machine):
    """The arguments of `handle` where a variable of a machine's type takes them."""
    names = set()
    for start in index(code).places(machine):
        before = code[max(0, start - 80):start]
        subscribers = code[start + len(machine):start + len(machine) + 1] == ">"
        for pattern in [r"\b(?:var|let) (\w+)(?:: |\s*=\s*)$", r"\b(\w+): (?:inout )?$"] + (
                [r"\b(?:var|let) (\w+): Subscribers<$"] if subscribers else []):
            names |= set(re.findall(pattern, before))
    return [enclosed(code, opening) for name, opening in index(code).handles if name in names]


def built(names, expressions):
    """The cases that expressions build."""
    text = "\n".join(
        re.sub(r"\bcase (?:let )?\.\w+", "", expression) for expression in expressions)
    return {name for name in names if re.search(r"\.%s\b" % name, text)}


def called(names, own, code):
    """The cases that only pass on to a method which others call, too."""
    found = set()
    for name in names:
        for method in re.findall(
                r"case \.%s\b[^\n]*(?::|= input else \{ return \[\] \})\s*(?:return )?\[?(\w+)\("
                % name, own):
            if method in index(code).methods:
                found.add(name)
    return found


def without_consumer(real, outputs):
    """The outputs that the host only passes over, in a `case` that does nothing."""
    acted = re.sub(
        r"\bcase (?:(?!\bcase\b)[^{}:])*:\s*(?:break|return)\s*\n", "", real)
    pattern = r"case (?:let )?\.(?:engine\(\.)?%s\b"
    return [name for name in outputs if not re.search(pattern % name, acted)]


def idle_parameters(code, calls):
    """Parameters of initializers with a default that no call passes, as `Type.name`."""
    found = []
    for owner in re.finditer(
            r"^(?:package |public )?(?:struct|actor|final class|class) (\w+)[^\n{]*\{", code,
            re.MULTILINE):
        # An initializer of every member takes no part: it stands for the value as a whole.
        inside = re.sub(r"\n  (?:package |public )?(?:struct|enum) \w+[^\n{]*\{.*?\n  \}", "",
                        enclosed(code, owner.end() - 1), flags=re.DOTALL)
        passed = "\n".join(
            enclosed(calls, opening) for opening in index(calls).openings.get(owner[1], []))
        passed += "\n".join(re.findall(r"self\.init\([^\n]*", inside))
        for start in re.finditer(r"\n  (?:package |public )?init\(", inside):
            parameters = enclosed(inside, start.end() - 1)
            for name in re.findall(r"(?:^|,)\s*(\w+)(?: \w+)?: [^,=]+ = ", parameters):
                if not re.search(r"\b%s:" % name, passed) and name != "_":
                    found.append(f"{owner[1]}.{name}")
    return found


def documented(text, declaration, name):
    """The statements that the documentation of a case, a variable, or a parameter names."""
    if declaration:
        text = body(text, declaration)
    match = re.search(
        r"((?:[ \t]*///[^\n]*\n)*)[^\n/]*?\b(?:case|var|let) (?:[^\n(]*, )?%s\b" % name, text)
    return STATEMENT.findall(match[1]) if match else []


def titles(name, files):
    """The statements in the titles of tests that send a case, where the case alone decides."""
    found = []
    for text in files:
        for test in re.split(r"(?=@Test\()", text)[1:]:
            title = re.match(r'@Test\(\s*"((?:[^"\\]|\\.)*)"', test)
            if title and re.search(r"(?:send|handle)\(\s*(?:\.setting\(\s*|\.hold\()?\.%s\b" % name,
                                   test):
                found += STATEMENT.findall(title[1])
    return found


class Survey:
    """What of a project is not reachable, with the statements that rest on it."""

    def __init__(self):
        self.found = {}

    def note(self, kind, name, statements):
        self.found[kind, name] = sorted(set(statements), key=sort_key)


def sort_key(statement):
    prefix, number = statement.split("-")
    return prefix, int(re.match(r"\d+", number)[0]), number


def survey():
    """The project as it stands."""
    result = Survey()
    folders = sorted(folder.name for folder in SOURCES.iterdir())
    real = [name for name in folders if name not in NOT_REAL and name != ENGINE]
    outside, engine = swift(*real), swift(ENGINE)
    in_process = swift(*[name for name in real if name not in DAEMON])
    raw = {file: file.read_text() for file in engine.files}
    tests = [file.read_text() for file in sorted(TESTS.rglob("*.swift"))]
    main = raw[SOURCES / ENGINE / "LocationEngine.swift"]

    # What enters the engine, and the enumerations within it.
    handed = r"(?:\b(?:ask|step|pass|tell|begin|handle|drive|enter)\(|\.engine\()\s*(?:\.engine\(\s*)?\.%s\b"
    doors = [
        ("input", main, r"package enum Input: MachineInput", handed),
        ("event", file_with(raw, "package enum ClientEvent"), r"package enum ClientEvent",
         r"\.client\(\s*\w+, \.%s\b"),
        ("setting", file_with(raw, "package enum Setting"), r"package enum Setting",
         r"(?:\.setting\(\s*|append\(|map \{ |\+ \[|\[|,|\.map \{ )\s*\.%s\b(?=[\(\),\]\s])"),
    ]
    for kind, text, declaration, pattern in doors:
        for name in cases(text, declaration):
            missing = not re.search(pattern % name, outside.code)
            half = not re.search(pattern % name, in_process.code)
            if missing or half and (kind, name) not in DAEMON_ONLY:
                result.note(kind, name, documented(text, declaration, name) + titles(name, tests))

    # What one machine of the engine hands to another.
    everything = swift(ENGINE, "LocationService", *real)
    for file, text in raw.items():
        for machine in machines(text):
            if machine == "LocationEngine":
                continue
            declaration = r"enum Input: MachineInput"
            expressions = zones(
                everything.code, f"{machine}.Input", "Input", engine.files[file])
            expressions += handled(everything.code, machine)
            # Every machine can be woken; one without a deadline is not.
            names = [name for name in cases(text, declaration) if name != "wake"]
            reached = built(names, expressions) | called(names, engine.files[file], everything.code)
            for name in [n for n in names if n not in reached]:
                result.note(machine, name, documented(text, declaration, name))

    # What these carry, and what apps receive.
    model = swift("LocationModel")
    carried = swift(ENGINE, *real)
    for kind, enumeration in [
            ("use", "InUseReason"), ("use", "AppUse"), ("failure", "Failure")]:
        text = file_with({file: file.read_text() for file in model.files},
                         f"package enum {enumeration}:")
        declaration = f"package enum {enumeration}:"
        expressions = zones(carried.code, enumeration, enumeration)
        expressions += re.findall(
            r"\.(?:failed|outage|fail|unavailable)\(\s*\.\w+|return \.\w+|\? \.\w+ : \.\w+",
            carried.code) if kind == "failure" else []
        names = cases(text, declaration)
        for name in [n for n in names if n not in built(names, expressions)]:
            result.note(kind, name, documented(text, declaration, name))
    policy = file_with(raw, "package struct LaunchPolicy")
    for name in cases(policy, "package struct LaunchPolicy"):
        if not re.search(r"(?:policy|\$0)\.%s = " % name, engine.code):
            result.note("policy", name, documented(policy, "package struct LaunchPolicy", name))
    # An engine is made by what records it.
    makers = swift(ENGINE, "LocationService", "LocationRecording", *real)
    for name in idle_parameters(engine.code, makers.code):
        result.note("parameter", name, [])

    outputs = cases(main, r"package indirect enum Output: Sendable")
    for name in without_consumer(outside.code, outputs):
        result.note("output", name, documented(main, "package indirect enum Output", name))
    for name in without_consumer(in_process.code, outputs):
        if ("output", name) not in DAEMON_ONLY:
            result.note("output", name, documented(main, "package indirect enum Output", name))
    return result.found


def file_with(texts, words):
    """The text of the file that declares something."""
    return next(text for text in texts.values() if words in text)


def named(text):
    """The rows of the table: the statements and the reason, by kind and name."""
    table = text.partition(HEADING)[2].partition("\n#")[0]
    return {(row[0], row[1]): (STATEMENT.findall(row[2]), row[3].strip())
            for row in ROW.findall(table)}


def compare(found, rows):
    """What of the table is not as it is found."""
    faults = [f"{kind} {name}: has no end outside of tests, and no row in README.md"
              for kind, name in found if (kind, name) not in rows]
    for (kind, name), (statements, reason) in rows.items():
        if (kind, name) not in found:
            faults.append(f"{kind} {name}: README.md calls it not reachable, and it is")
        elif sorted(set(statements), key=sort_key) != found[kind, name]:
            expected = ", ".join(found[kind, name]) or "none"
            faults.append(f"{kind} {name}: its statements in README.md should be: {expected}")
        if not reason:
            faults.append(f"{kind} {name}: its row in README.md gives no reason")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    found, rows = survey(), named(README.read_text())
    faults = compare(found, rows)
    for (kind, name), statements in found.items():
        print(f"{kind} {name}: {', '.join(statements) or 'none'}")
    print("\n".join(f"FAULT {fault}" for fault in faults), end="\n" if faults else "")
    statements = {name for names in found.values() for name in names}
    print(f"{len(found)} not reachable, on which {len(statements)} statements rest, "
          f"{len(faults)} faults")
    return 1 if options.check and faults else 0


if __name__ == "__main__":
    sys.exit(main())
