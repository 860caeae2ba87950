#!/usr/bin/env python3
"""Plants faults in the engine, and checks that the simulator's transcripts show every one.

The simulator has no services of its own: a fault in a machine of the engine must change what a
scenario prints. A copy of the sources is built once, in .build/mutations, with every fault behind
a switch; then each scenario of Examples/Scenarios runs with no fault and with each one. Ends with
1 when a fault shows nowhere.

usage: Scripts/mutations.py [NAME...]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / ".build" / "mutations"
ENGINE = "Sources/LocationEngine"
SWITCH = """internal import Glibc

/// The number of the fault that is planted in this process; 0 for none.
let planted = getenv("PLANTED").flatMap { Int(String(cString: $0)) } ?? 0
"""

# name: (file, the code with the right expression in « », the wrong expression)
FAULTS = {
    "conditions: dwell": (
        "Conditions/CrossingDetector.swift", "static let dwell = «20.0»", "90.0"),
    "conditions: margin": (
        "Conditions/CrossingDetector.swift", "static let leaveMargin = «1.0»", "-2.0"),
    "conditions: inside out": (
        "Conditions/CrossingDetector.swift", "ConditionState = «support > 0» ?", "support < 0"),
    "conditions: travel": (
        "Motion/MotionEvidence.swift", "static let enough = «46.0»", "0.0"),
    "conditions: steps believed": (
        "Motion/OutlierGate.swift", "if «Self.hasReturned(place, to: doubt.trusted)» {",
        "false"),
    "conditions: coarse fixes": (
        "Conditions/CircleFollower.swift",
        "guard «view.accuracy <= max(shape.radius, 200)» else { continue }", "true"),
    "visits: dwell": ("Visits/VisitDetector+Tuning.swift", "var newDwell = «165.0»", "30.0"),
    "visits: departure": ("Visits/VisitDetector+Tuning.swift", "var leaveDwell = «8.0»", "300.0"),
    "significant: distance": (
        "SignificantChange/SignificantChangeDetector.swift", "static let distance = «500.0»",
        "900.0"),
    "stillness: timeout": (
        "Stillness/StillnessDetector.swift", "case .other: «.seconds(180)»", ".seconds(60)"),
    "live: rest ends": (
        "Updates/LiveUpdates.swift", "case .stationary where «!isStill»:", "false"),
    "live: barred": (
        "Updates/LiveUpdates.swift",
        "self.diagnostics = diagnostics\n    guard «diagnostics.isDisjoint(with: .barring)» else", "true"),
    "live: demand at rest": (
        "Updates/LiveUpdates.swift", "case .stationary: return «StillnessDetector.demandAtRest»",
        "Demand(position: PositionDemand(tier: .satellite))"),
    "arbitration: jumps": (
        "Arbitration/ProviderTrack.swift",
        "return «distance(to: earlier) > reach + slack» ? .unconfirmedJump : nil", "false"),
    "arbitration: old fixes": (
        "Arbitration/ProviderTrack.swift", "if «dates <= 0» { return .olderThanCurrent }",
        "false"),
    "outage: timeout": (
        "Arbitration/PositionWatch.swift", "timeout = «Duration.seconds(9)»",
        "Duration.seconds(60)"),
    "authorization: setting": (
        "Authorization/Authorization+Answers.swift",
        "case .whileUsing: record.grant = «.whenInUse»", ".always"),
    "authorization: denied": (
        "Apps/AppCoordinator+Authorization.swift",
        "case .restricted, .denied: return «.denied»", ".open"),
    "coarse place: cell": (
        "Accuracy/CoarseLocator.swift", "interval = «900.0»", "300.0"),
    "delivery: in use": (
        "Delivery/DeliveryTable.swift",
        "Row(.liveUpdates, .always, «inUseOnly», explains", "everywhere"),
}


def planted(text, number, code, wrong):
    """The text with a switch in place of the one expression between « and »."""
    before, right, after = re.fullmatch(r"(.*)«(.*)»(.*)", code, re.S).groups()
    if text.count(before + right + after) != 1:
        raise ValueError(f"`{before + right + after}` is not in the file exactly once")
    switch = f"(planted == {number} ? {wrong} : {right})"
    return text.replace(before + right + after, before + switch + after)


def make_copy():
    for name in ["Package.swift", "Sources", "Tests", "Benchmarks"]:
        source, copy = ROOT / name, COPY / name
        if source.is_dir():
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(source, copy, symlinks=True)
        else:
            shutil.copy2(source, copy)
    (COPY / ENGINE / "Planted.swift").write_text(SWITCH)
    for number, (name, (file, code, wrong)) in enumerate(FAULTS.items(), 1):
        path = COPY / ENGINE / file
        try:
            path.write_text(planted(path.read_text(), number, code, wrong))
        except ValueError as error:
            sys.exit(f"{name}: {file}: {error}; update Scripts/mutations.py")


def build():
    command = ["swift", "build", "-q", "-c", "release", "--product", "locationctl",
               "--package-path", str(COPY)]
    if subprocess.run(command).returncode != 0:
        sys.exit("the copy with the faults does not build")
    return COPY / ".build/release/locationctl"


def story(program, scenario, number):
    """The output of a scenario with a fault: its lines, except the summary, which holds the wall time."""
    result = subprocess.run(
        [program, "simulate", scenario, "--json", "--record-demand"], capture_output=True,
        text=True, timeout=300, env=os.environ | {"PLANTED": str(number)})
    if result.returncode != 0 and number == 0:
        sys.exit(f"{scenario}: {result.stderr}")
    return result.stdout.splitlines()[:-1] or [result.stderr]


def main(names):
    unknown = [name for name in names if name not in FAULTS]
    if unknown:
        sys.exit(f"no such fault: {', '.join(unknown)}")
    COPY.mkdir(parents=True, exist_ok=True)
    make_copy()
    program = build()
    scenarios = sorted((ROOT / "Examples/Scenarios").glob("*.txt"))
    right = {scenario: story(program, scenario, 0) for scenario in scenarios}
    hidden = []
    for number, name in enumerate(FAULTS, 1):
        if names and name not in names:
            continue
        shown = []
        for scenario in scenarios:
            wrong = story(program, scenario, number)
            if wrong != right[scenario]:
                lines = len(set(wrong) ^ set(right[scenario]))
                shown.append(f"{scenario.stem} ({lines} lines)")
        if not shown:
            hidden.append(name)
        print(f"{name:28} {', '.join(shown) or 'SHOWS NOWHERE'}", flush=True)
    if hidden:
        sys.exit(f"{len(hidden)} faults show nowhere: {', '.join(hidden)}")


if __name__ == "__main__":
    main(sys.argv[1:])
