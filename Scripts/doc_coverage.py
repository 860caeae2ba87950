#!/usr/bin/env python3
"""Lists what the documentation comments of the public products leave out.

A public function or initializer with parameters, a result, or errors has to say `- Parameter`,
`- Returns`, `- Throws`; the summary of a function begins with a verb in the third person, that of
a value or a type does not say whose it is. What is listed in NOT_CONSTANT has to say
`- Complexity`. With --check the exit status is 1 while anything is
listed.

usage: Scripts/doc_coverage.py [--check] [PRODUCT...]
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCTS = ["CoreLocation", "LocationTesting", "INTULocationManager", "LocationLifecycle",
            "BeaconAdvertising"]
DECLARATION = re.compile(
    r"^\s*(?:@[\w.]+(?:\([^()]*\))?\s+)*(?P<words>(?:\w+(?:\(set\))?\s+)*?)"
    # `class` before another keyword says whose the member is, as `static` does.
    r"(?P<kind>func|init|subscript|var|let|struct|class(?!\s+(?:func|var|subscript)\b)|enum|actor"
    r"|protocol|typealias|case)\b"
    r"[?!]?\s*(?P<name>`?[\w]+`?|[^\s\w(]+)?")
SCOPE = re.compile(
    r"^\s*(?:@[\w.]+(?:\([^()]*\))?\s+)*(?P<words>(?:\w+\s+)*?)(?P<kind>extension|protocol|struct|class|enum|actor)\s"
    r"(?P<name>[\w.]+)")
# First words of functions that are verbs though they do not end in s, and those that end in s and
# are no verbs.
VERBS = set()
NOT_VERBS = {"this", "its", "whose", "is", "as", "always", "less", "plus", "apps", "names", "has",
             "circles", "places", "us", "was"}
# Members whose cost grows with something, by file: the begin of each one's declaration. New ones are
# added here; one that is gone, or that does not say its complexity, is a fault.
NOT_CONSTANT = {
    "CoreLocation/Geocoder/CLGeocoder.swift": [
        "func reverseGeocodeLocation(", "func geocodeAddressString(", "func geocodeAddressDictionary("],
    "CoreLocation/Geocoder/CLGeocoder+Async.swift": [
        "func reverseGeocodeLocation(", "func geocodeAddressString(", "func geocodeAddressDictionary("],
    "CoreLocation/LocationManager/CLLocationManager.swift": ["var monitoredRegions"],
    "CoreLocation/Monitor/CLMonitor.swift": [
        "var identifiers", "func record(", "func add(", "func remove("],
    "LocationTesting/SimulatedDevice.swift": ["func advance(", "func resetLocationPrivacy("],
    "LocationTesting/SimulatedDevice+Simulator.swift": [
        "func startLocation(", "init(_ road", "func repeated("],
    "LocationTesting/SimulatedDevice+World.swift": ["init(through", "init(gpx"],
}


def signature(lines, start):
    """The declaration from its line to the brace that opens its body, or its end."""
    text, depth = "", 0
    for line in lines[start:start + 30]:
        code = re.sub(r"//.*$", "", line)
        for character in code:
            if character in "([":
                depth += 1
            elif character in ")]":
                depth -= 1
            elif character == "{" and depth == 0:
                return text
            text += character
        if depth == 0 and not re.match(r"^\s*(async\b|throws\b|->|where\b|:|\()", next_code(
                lines, start + text.count("\n") + 1)):
            return text
        text += "\n"
    return text


def next_code(lines, number):
    return lines[number] if number < len(lines) else ""


def parentheses(text):
    """What stands between the first parenthesis and its partner, and what follows."""
    begin = text.find("(")
    if begin < 0:
        return "", text
    depth = 0
    for index in range(begin, len(text)):
        depth += text[index] in "(["
        depth -= text[index] in ")]"
        if depth == 0:
            return text[begin + 1:index], text[index + 1:]
    return text[begin + 1:], ""


def parameters(inside):
    """The inner names of parameters."""
    names, depth, piece = [], 0, ""
    for character in inside + ",":
        depth += character in "([{<"
        depth -= character in ")]}" or (character == ">" and not piece.endswith("-"))
        if character == "," and depth == 0:
            label = piece.split(":")[0].split()
            if label:
                names.append(label[-1].strip("`"))
            piece = ""
        else:
            piece += character
    return names


def declarations(path):
    """Each public declaration: its line, kind, name, signature, comment, and whether it is inherited."""
    lines = path.read_text().split("\n")
    depth, scopes, comment = 0, [], []
    for number, line in enumerate(lines):
        stripped = line.strip()
        if stripped.startswith("///"):
            comment.append(stripped[3:].removeprefix(" "))
            continue
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', re.sub(r"//.*$", "", line))
        match = DECLARATION.match(code)
        opens_public = bool(scopes and scopes[-1][1])
        at_member = not scopes or depth == scopes[-1][0]
        if match and at_member and not stripped.startswith("@") or (
                match and at_member and stripped.startswith("@")):
            words = match["words"].split()
            is_public = "public" in words or "open" in words or (
                opens_public and not {"private", "fileprivate", "internal", "package"} & set(words))
            if is_public and "override" not in words:
                yield number + 1, match["kind"], match["name"] or "", signature(lines, number), comment
        if stripped and not stripped.startswith("@"):
            comment = []
        elif stripped.startswith("@") and match:
            comment = []
        scope = SCOPE.match(code)
        opened = code.count("{") - code.count("}")
        if scope and "{" in code and opened > 0:
            words = scope["words"].split()
            inherits = scope["kind"] == "protocol" and "public" in words or (
                scope["kind"] == "extension" and "public" in words) or (
                scope["kind"] == "enum" and False)
            scopes.append((depth + 1, inherits))
        depth += opened
        while scopes and depth < scopes[-1][0]:
            scopes.pop()


def faults(kind, name, text, comment):
    """What the comment of one declaration leaves out."""
    if any("coverage: none" in line for line in comment):
        return
    if not comment:
        if kind != "case":
            yield "has no documentation"
        return
    summary = next((line for line in comment if line), "")
    fields = "\n".join(comment)
    if re.match(r"Whose\b.*\bis\.$", summary):
        yield f"the summary says nothing: {summary}"
    if kind not in ("func", "init", "subscript"):
        return
    inside, rest = parentheses(text)
    first = re.match(r"[A-Za-z]+", summary)
    word = first[0].lower() if first else ""
    if kind == "func" and not (word in VERBS or (word.endswith("s") and word not in NOT_VERBS)):
        yield f"the summary begins with no verb: {summary}"
    for parameter in parameters(inside):
        if not re.search(rf"^- (Parameter )?{re.escape(parameter)}:", fields.replace("  - ", "- "),
                         re.MULTILINE):
            yield f"no - Parameter {parameter}"
    result = re.search(r"->\s*(.+)", rest, re.DOTALL)
    if kind != "init" and result and result[1].split("where")[0].strip() not in ("Void", "()", "Never"):
        if "- Returns:" not in fields:
            yield "no - Returns"
    before = rest.split("->")[0] if result else rest
    if re.search(r"\bthrows\b", before) and "- Throws:" not in fields:
        yield "no - Throws"


def unstated(listed, found):
    """Faults of members that have to say their complexity; `found` are (line, signature, comment)."""
    for begin in listed:
        matching = [(line, comment) for line, text, comment in found
                    if begin in re.sub(r"\(\s+", "(", " ".join(text.split()))]
        if not matching:
            yield 1, f"no member `{begin}` any more, and NOT_CONSTANT lists it"
        for line, comment in matching:
            if not any(line.startswith("- Complexity:") for line in comment):
                yield line, f"`{begin}`: no - Complexity"


def main(words):
    check = "--check" in words
    products = [word for word in words if not word.startswith("--")] or PRODUCTS
    count = total = 0
    for product in products:
        for path in sorted((ROOT / "Sources" / product).rglob("*.swift")):
            found = list(declarations(path))
            listed = NOT_CONSTANT.get(str(path.relative_to(ROOT / "Sources")), [])
            for line, fault in unstated(listed, [(each[0], *each[3:]) for each in found]):
                count += 1
                print(f"{path.relative_to(ROOT)}:{line}: {fault}")
            for line, kind, name, text, comment in found:
                total += 1
                for fault in faults(kind, name, text, comment):
                    count += 1
                    print(f"{path.relative_to(ROOT)}:{line}: {kind} {name}: {fault}")
    print(f"{total} public declarations, {count} faults in their documentation")
    if check and count:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
