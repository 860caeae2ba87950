"""A walk along a street of access points, with a map from a list and no other source: how long the first position
takes, how far off each is, and when a fence was entered.

    street.py LOCATIONCTL WORLD

WORLD is the file of the medium. A second of the walk is a second of the guest."""

import datetime
import json
import math
import statistics
import subprocess
import sys
import threading
import time

CONTROL, WORLD = sys.argv[1:]
# Access points and where they are along the street, in meters.
STATIONS = {"00:11:22:33:44:02": 0, "00:11:22:33:50:10": 60, "00:11:22:33:60:10": 120, "00:11:22:33:70:10": 180}
# Others of the guest are not heard here.
SILENT = ["00:11:22:33:44:03", "02:11:22:33:44:05", "00:11:22:33:44:04"]
BEGIN, END, PACE = 20.0, 130.0, 1.2
FENCE, RADIUS = 130.0, 30


def longitude(meters):
    return 8.65 + meters / (111_320 * math.cos(math.radians(49.87)))


def level(station, place):
    distance = math.hypot(place - STATIONS[station], 5)
    return round(-40 - 25 * math.log10(distance))


def show(place=None):
    """Who is heard at a place; without one, nobody."""
    lines = [f"{station} {level(station, place) if place is not None else -99}" for station in STATIONS]
    lines += [f"{station} -99" for station in SILENT]
    with open(WORLD, "w") as file:
        file.write("\n".join(lines) + "\n")


def seconds(date):
    return datetime.datetime.fromisoformat(date.replace("Z", "+00:00")).timestamp()


def control(*words):
    subprocess.run([CONTROL, *words], check=True)


def follow(words, take):
    """What a program prints, line by line, as it comes."""
    process = subprocess.Popen([CONTROL, *words], stdout=subprocess.PIPE, text=True)

    def read():
        for line in process.stdout:
            take(json.loads(line))

    threading.Thread(target=read, daemon=True).start()
    return process


def main():
    with open("/tmp/street.csv", "w") as file:
        file.write("MAC,SSID,FirstSeen,RSSI,CurrentLatitude,CurrentLongitude,AccuracyMeters,Type\n")
        for place in range(-20, 201, 5):
            moment = f"2026-01-01 00:{(place + 20) // 60:02}:{(place + 20) % 60:02}"
            for station in STATIONS:
                if level(station, place) > -93:
                    file.write(f"{station},street,{moment},{level(station, place)},49.87,{longitude(place)},5,WIFI\n")
    control("map", "import", "/tmp/street.csv")
    # Until nothing of what was heard before is remembered, by the kernel or NetworkManager.
    show()
    time.sleep(60)

    fixes, walked, came = {}, [], threading.Event()

    def note(status):
        fix = status.get("last_fix") if status["type"] == "status" else None
        if fix and fix["date"] not in fixes:
            fixes[fix["date"]] = fix
            came.set()

    events = []
    programs = [follow(["status", "--changes", "--places", "--json"], note),
                follow(["monitor", "events", "--json"], events.append)]
    begin = time.monotonic()
    show(BEGIN)
    control("monitor", "add", "corner", f"49.87,{longitude(FENCE)},{RADIUS}")
    came.wait(60)
    print(f"first position after {time.monotonic() - begin:.1f} s", flush=True)

    place = BEGIN
    begin = time.time()
    while place < END:
        show(place)
        walked.append((time.time(), place))
        time.sleep(1)
        place = BEGIN + PACE * (time.time() - begin)
    show(END)
    walked.append((time.time(), END))
    time.sleep(90)
    for program in programs:
        program.kill()

    def truth(moment):
        return next((place for when, place in reversed(walked) if when <= moment), BEGIN)

    errors, held = [], 0
    for date, fix in sorted(fixes.items()):
        place = truth(seconds(date))
        off = abs(longitude(place) - fix["longitude"]) / (longitude(1) - longitude(0))
        errors.append(off)
        held += off <= fix["horizontal_accuracy"]
        print(f"  at {place:.0f} m: off {off:.1f} m, radius {fix['horizontal_accuracy']:.0f} m")
    if errors:
        print(f"{len(errors)} positions: off {statistics.median(errors):.1f} m in the median, {max(errors):.1f} at most; "
              f"the radius holds {held}")
    entered = begin + (FENCE - RADIUS - BEGIN) / PACE
    for event in events:
        print("event", event.get("state"), event.get("date"))
        if event.get("state") == "satisfied":
            print(f"entered {seconds(event['date']) - entered:.0f} s after the boundary")


main()
