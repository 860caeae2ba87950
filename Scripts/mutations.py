#!/usr/bin/env python3
"""Plants one fault after the other in a copy of the engine, and reports which stories notice.

The simulator has no services of its own, so a fault in an engine machine must change what a
scenario tells. usage: Scripts/mutations.py [NAME…]; builds a copy in .build/mutations, about a
minute for each fault. Ends with 1 when a fault went unnoticed.
"""
import pathlib, re, shutil, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / ".build" / "mutations"
ENGINE = "Sources/LocationEngine/"

# name: (file, what stands there, the fault)
FAULTS = {
    "dwell": ("Conditions/CrossingDetector.swift", "static let dwell = 20.0", "static let dwell = 5.0"),
    "leave-margin": ("Conditions/CrossingDetector.swift", "leaveMargin = 1.0", "leaveMargin = 4.0"),
    "inside-out": ("Conditions/CrossingDetector.swift",
                   "let towards: ConditionState = support > 0 ?", "let towards: ConditionState = support < 0 ?"),
    "significant-distance": ("SignificantChange/SignificantChangeDetector.swift",
                             "static let distance = 500.0", "static let distance = 900.0"),
    "live-silence": ("Updates/LiveUpdates.swift", "silence = Duration.seconds(9)", "silence = Duration.seconds(30)"),
    "live-stationary": ("Updates/LiveUpdates.swift",
                        "case .stationary where !isStill:\n      state = .waiting(silentSince: now.uptime)\n      return []",
                        "case .stationary where !isStill:\n      return []"),
    "patience": ("Stillness/StillnessDetector.swift", "case .other: .seconds(180)", "case .other: .seconds(60)"),
    "filter": ("Updates/StandardUpdates.swift", "state = .running(last: fix)\n      return [.fixes([fix])]",
               "state = .running(last: fix)\n      return []"),
    "stale-fixes": ("Arbitration/ProviderTrack.swift", "if dates <= 0 { return .olderThanCurrent }", ""),
    "jumps": ("Arbitration/ProviderTrack.swift", "return distance > reach + slack ? .unconfirmedJump : nil",
              "return nil"),
    "visits": ("Visits/Visits.swift", "if !isArrival, !knewArrival { told.arrival = nil }",
               "if !isArrival { told.arrival = nil }"),
    "demand": ("Updates/LiveUpdates.swift", "case .stationary: return Demand(motion: true)",
               "case .stationary: return .none"),
    "denied": ("AppDesk+Standing.swift", "case .restricted, .denied: return .denied",
               "case .restricted, .denied: return .open"),
}

def story(program, scenario):
    words = [program, "simulate", scenario, "--json", "--record-demand"]
    told = subprocess.run(words, capture_output=True, text=True, timeout=300)
    lines = told.stdout.splitlines()
    digest = re.search(r'"hash":"(\w+)"', lines[-1]).group(1) if lines else told.stderr
    return [line for line in lines if '"summary"' not in line], digest

def build():
    words = ["swift", "build", "-q", "--product", "locationctl", "--package-path", str(COPY)]
    built = subprocess.run(words, capture_output=True, text=True)
    return built.stdout + built.stderr if built.returncode else None

def main():
    names = sys.argv[1:] or list(FAULTS)
    COPY.mkdir(parents=True, exist_ok=True)
    for name in ["Sources", "Tests", "Benchmarks", "Package.swift"]:
        source, copy = ROOT / name, COPY / name
        if source.is_file(): shutil.copy2(source, copy)
        else: shutil.copytree(source, copy, symlinks=True, dirs_exist_ok=True)
    program = str(COPY / ".build/debug/locationctl")
    scenarios = sorted((ROOT / "Examples/Scenarios").glob("*.txt"))
    fault = build()
    if fault: sys.exit(f"the copy does not build:\n{fault}")
    good = {path: story(program, str(path)) for path in scenarios}
    missed = []
    for name in names:
        file, old, new = FAULTS[name]
        path = COPY / ENGINE / file
        text = path.read_text()
        if old not in text: sys.exit(f"{name}: {file} has changed; mend this script")
        path.write_text(text.replace(old, new, 1))
        failure = build()
        caught = []
        if failure is None:
            for scenario in scenarios:
                try: told = story(program, str(scenario))
                except (subprocess.TimeoutExpired, AttributeError): told = ([], "it crashed")
                if told[1] != good[scenario][1]:
                    differing = sum(a != b for a, b in zip(told[0], good[scenario][0]))
                    caught.append(f"{scenario.stem} ({differing + abs(len(told[0]) - len(good[scenario][0]))} lines)")
        path.write_text(text)
        if not caught: missed.append(name)
        print(f"{name:22} {'does not build: ' + failure.splitlines()[0] if failure else ', '.join(caught) or 'NOT NOTICED'}", flush=True)
    if missed: sys.exit(f"not noticed: {', '.join(missed)}")

main()
