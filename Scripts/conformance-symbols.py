"""Compares the symbol graph of our module with the list of Apple's symbols.

    conformance-symbols.py corelocation-api.tsv CoreLocation.symbols.json
"""

import collections
import csv
import json
import sys

# Where our module spells a path in another way: nested C enumerations are aliases here.
ALIASES = {
    "CLError.Code.": "CLErrorCode.",
    "CLLocationPushServiceError.Code.": "CLLocationPushServiceErrorCode.",
    "CLMonitor.Event.State.": "__CLMonitoringState.",
}

# The compiler makes these, and symbol graphs leave them out. The suite uses every one of them
# (files 02, 03, 11, 12, 13, 15), so a missing one does not compile.
SYNTHESIZED = (
    "RawValue", "rawValue", "hashValue", "hash(into:)", "==(_:_:)", "unownedExecutor",
    "encode(to:)",
)


def excused(row):
    """Why a symbol may be missing, or nothing."""
    notes, path = row["notes"], path_of(row)
    if row["ios_introduced"] in ("unavailable", "27.0"):
        return "not callable on iOS 18"
    if row["kind"] in ("conformance", "superclass"):
        return "checked by the suite, which requires each of them"
    if "unavailable in Swift on iOS" in notes:
        return "not callable from Swift on iOS"
    if row["kind"].startswith("obsoleted"):
        return "must stay absent"
    if "CNPostalAddress" in notes:
        return "belongs to Contacts, which this platform has not"
    if row["name"] in SYNTHESIZED:
        return "synthesized"
    if path.startswith("__CLMonitoringState."):
        return "hidden by its underscores; file 02 uses every case"
    return None


def path_of(row):
    path = ".".join(part for part in (row["parent"], row["name"]) if part)
    for ours, theirs in ALIASES.items():
        if path.startswith(ours):
            return theirs + path[len(ours):]
    return path


def main(table, graph):
    with open(graph) as file:
        present = collections.Counter(
            ".".join(symbol["pathComponents"]) for symbol in json.load(file)["symbols"])
    with open(table, newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if not excused(row)]
    # Overloads share a path: count what the framework itself declares; inherited ones need one.
    wanted = collections.Counter(
        path_of(row) for row in rows if not row["kind"].startswith("inherited"))
    wanted |= collections.Counter({path_of(row): 1 for row in rows})
    missing = sorted(path for path, count in wanted.items() if present[path] < count)
    for path in missing:
        print(f"missing: {path}", file=sys.stderr)
    print(f"{len(rows)} rows, {len(wanted)} paths, {len(missing)} missing")
    return 1 if missing or not rows else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
