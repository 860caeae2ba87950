"""Debian's programs for gpsd, unchanged, at the port of locationd (gpsd-port); and gpsd itself with the same receiver:
both must report the same.

  gpsd.py LOCATIOND

Prints a line for each, and fails when one did not find the place, or a report differs. Run by Scripts/gpsd_port.sh."""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from machine import PLACE, Receiver

OURS, THEIRS = 2947, 2951


def start(*words):
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            stdin=subprocess.DEVNULL)


def lines(*words, within=20):
    done = subprocess.run(["timeout", str(within), *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout.splitlines()


def reports(port, count):
    found = (json.loads(line) for line in lines("gpspipe", "-w", "-n", str(count), f"127.0.0.1:{port}")
             if line.startswith("{"))
    return {report["time"]: report for report in found
            if report["class"] == "TPV" and report.get("mode", 0) >= 2 and "lat" in report and "time" in report}


PYTHON = f"""
import gps
session = gps.gps(host="127.0.0.1", port="{OURS}", mode=gps.WATCH_ENABLE | gps.WATCH_JSON)
for report in session:
    if report["class"] == "TPV" and report.mode >= 2:
        print("position", session.fix.latitude, session.fix.longitude)
        break
"""


def main():
    failed = []

    def check(name, good, seen):
        print(f"{'ok     ' if good else 'FAILED '} {name}: {seen}", flush=True)
        if not good:
            failed.append(name)

    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        receiver = Receiver(folder, rate=2)
        configuration = folder / "locationd.conf"
        configuration.write_text(
            f"gpsd-port = {OURS}\nsource = nmea+tcp://127.0.0.1:{receiver.port}\n")
        daemon = start(sys.argv[1], "--socket", str(folder / "socket"), "--state", str(folder / "state"),
                       "--config", str(configuration))
        said = []
        for line in daemon.stdout:
            said.append(line)
            if "gpsd's programs" in line:
                break
        gpsd = start("gpsd", "-N", "-n", "-S", str(THEIRS), f"tcp://127.0.0.1:{receiver.port}")
        try:
            check("locationd", "serves gpsd's programs" in said[-1], said[-1].strip())
            seen = [line for line in lines("gpspipe", "-r", "-n", "8", f"127.0.0.1:{OURS}") if line.startswith("$G")]
            check("gpspipe -r", len(seen) >= 2, seen[0] if seen else "nothing")
            seen = lines(sys.executable, "-c", PYTHON)
            check("python3-gps", seen and seen[0].startswith(f"position {PLACE[0]}"), seen[:1])
            # cgps wants a terminal.
            seen = "\n".join(lines("script", "-qec", f"env TERM=xterm LINES=40 COLUMNS=120 timeout 6 cgps -s 127.0.0.1:{OURS}",
                                   "/dev/null"))
            check("cgps", "48.50000" in seen and "3D" in seen, "48.50000, 3D FIX" if "48.50000" in seen else seen[-300:])
            # At the same time, for the same epochs.
            with subprocess.Popen([sys.executable, "-B", __file__, "reports", str(THEIRS)], stdout=subprocess.PIPE,
                                  text=True) as other:
                ours = reports(OURS, 24)
                theirs = json.loads(other.stdout.read())
            both = sorted(set(ours) & set(theirs))
            check("gpspipe -w", len(ours) >= 5, f"{len(ours)} epochs, {len(both)} of them gpsd's as well")
            names = ["mode", "lat", "lon", "altMSL", "altHAE", "speed"]
            differ = [f"{time} {name}: {ours[time].get(name)}, gpsd {theirs[time].get(name)}" for time in both
                      for name in names if name in ours[time] and name in theirs[time]
                      and abs(ours[time][name] - theirs[time][name]) > 0.001]
            check("the same as gpsd", len(both) >= 5 and not differ, differ[:3] or ", ".join(names))
        finally:
            for process in (daemon, gpsd):
                process.terminate()
                process.wait()
    if failed:
        sys.exit("failed: " + ", ".join(failed))


if sys.argv[1] == "reports":
    print(json.dumps(reports(int(sys.argv[2]), 30)))
else:
    main()
