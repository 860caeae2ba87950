"""Rides in a lift by a BMP280 on an I2C bus of memory, whose registers are computed for each altitude, and what an app
of the daemon sees of them.

    lift.py map    print what the map is taught: the access points of the ground floor
    lift.py BUS

First a receiver knows the altitude, and nothing shows a floor. Then the receiver is lost, and access points show the
floor once. Then there are positions without an altitude alone, of a receiver with three satellites."""

import json
import math
import socket
import statistics
import subprocess
import sys
import threading
import time

BUS = sys.argv[1]
LATITUDE, LONGITUDE = 49.9, 8.7
# Meters a second along the corridors; within the 100 m for which a floor counts.
PACE, START = 0.3, time.time()
# Meters above the sea at the ground floor, and from floor to floor.
GROUND, STORY = 120.0, 3.5
RECEIVER, SCANS = ("127.0.0.1", 10110), ("127.0.0.1", 10111)
# Of the data sheet's example, as init has put them into the chip.
P1, P2, P3, P4, P5, P6, P7, P8, P9 = 36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000
T_FINE = 128422


# --- The chip

def pascals(raw):
    """The compensation of the data sheet, in its 64-bit integers."""
    first = T_FINE - 128000
    second = first * first * P6 + ((first * P5) << 17) + (P4 << 35)
    first = ((first * first * P3) >> 8) + ((first * P2) << 12)
    first = (((1 << 47) + first) * P1) >> 33
    pressure = (((1048576 - raw) << 31) - second) * 3125 // first
    pressure += ((P9 * (pressure >> 13) * (pressure >> 13)) >> 25) + ((P8 * pressure) >> 19)
    return ((pressure >> 8) + (P7 << 4)) / 256


def raw(wanted):
    """The reading of 20 bits that the compensation makes this pressure of; a greater one is less pressure."""
    low, high = 0, (1 << 20) - 1
    while low < high:
        middle = (low + high) // 2
        if pascals(middle) > wanted:
            low = middle + 1
        else:
            high = middle
    return low


def show(altitude):
    """Has the chip measure the standard atmosphere on a day with 4 hPa less than usual."""
    pressure = 101325 * (1 - altitude / 44330.77) ** (1 / 0.190263) - 400
    reading = raw(pressure)
    places = [reading >> 12, reading >> 4 & 0xFF, (reading & 0xF) << 4]
    subprocess.run(["i2cset", "-f", "-y", BUS, "0x76", "0xf7", *map(str, places), "i"], check=True)
    walked.append(altitude)


# The altitudes at which it was.
walked = []


class Rest:
    """A stay on a floor, until the lift leaves."""

    def __init__(self, altitude):
        self.begin, self.altitude = time.time(), altitude
        self.floor = round((altitude - GROUND) / STORY)
        self.end = self.begin


def rest(seconds, puff=0.0):
    """Stays; the pressure of a door that is opened for three seconds in the middle is `puff` meters."""
    stay = Rest(walked[-1])
    if puff:
        time.sleep(seconds / 2)
        show(stay.altitude + puff)
        time.sleep(3)
        show(stay.altitude)
        # Where it is, is no matter of doors.
        walked[-2:] = []
        seconds /= 2
    time.sleep(seconds)
    stay.end = time.time()
    rests.append(stay)


rests = []


def ride(floors):
    """Goes at a meter a second, which it reaches in a second, and loses in one."""
    begin, origin = time.time(), walked[-1]
    distance = abs(floors) * STORY
    end = distance + 1
    while (passed := time.time() - begin) < end:
        if passed < 1:
            way = passed * passed / 2
        elif passed < end - 1:
            way = passed - 0.5
        else:
            way = distance - (end - passed) ** 2 / 2
        show(origin + math.copysign(way, floors))
        time.sleep(0.2)
    show(origin + floors * STORY)


# --- What is received

def serve(address, text, interval):
    """Sends what `text` returns to whoever connects, so often."""
    server = socket.create_server(address)

    def speak(client):
        try:
            while True:
                client.sendall(text())
                time.sleep(interval)
        except OSError:
            pass

    def accept():
        while True:
            threading.Thread(target=speak, args=(server.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


# Of the receiver: "full", "lost", or "flat" for a position without an altitude.
sky = "full"
hears = False


def sentence(body):
    total = 0
    for byte in body.encode():
        total ^= byte
    return f"${body}*{total:02X}\r\n"


def epoch():
    moment = time.time()
    clock, date = time.strftime("%H%M%S.00", time.gmtime(moment)), time.strftime("%d%m%y", time.gmtime(moment))
    if sky == "lost":
        return (sentence(f"GPRMC,{clock},V,,,,,,,{date},,,N")
                + sentence(f"GPGGA,{clock},,,,,0,00,,,M,,M,,")).encode()
    # Slowly along the corridors: who rests for three minutes is asked for less (LIVE-23).
    east = PACE * (moment - START) / (111_320 * math.cos(math.radians(LATITUDE)))
    place = f"49{(LATITUDE - 49) * 60:08.5f},N,008{(LONGITUDE + east - 8) * 60:08.5f},E"
    # It errs for minutes.
    height = f"{walked[-1] + 1 + 1.5 * math.sin(moment / 20):.1f}" if sky == "full" else ""
    kind, used = ("3", "10") if sky == "full" else ("2", "03")
    satellites = ",".join(["05", "12", "25"] + (["02", "06", "19"] if sky == "full" else ["", "", ""]))
    return (sentence(f"GPRMC,{clock},A,{place},{PACE / 0.514:.1f},90.0,{date},,,A")
            + sentence(f"GPGGA,{clock},{place},1,{used},0.9,{height},M,47.0,M,,")
            + sentence(f"GPGSA,A,{kind},{satellites},,,,,,,1.5,0.9,1.2")
            + sentence(f"GPGST,{clock},3.0,,,,3.0,3.0,{3.0 if height else ''}")).encode()


def scan():
    if not hears:
        return b"\n"
    points = [{"macAddress": f"00:11:22:33:80:{number:02x}", "signalStrength": -50 - 4 * number}
              for number in range(5)]
    return (json.dumps({"wifiAccessPoints": points}) + "\n").encode()


def print_map():
    """The access points of the ground floor, with their floor."""
    for step in range(-3, 4):
        points = [{"macAddress": f"00:11:22:33:80:{number:02x}",
                   "signalStrength": -50 - 4 * number - abs(step)} for number in range(5)]
        print(json.dumps({
            "timestamp": int(time.time() * 1000) - 3_600_000, "floor": 0, "wifiAccessPoints": points,
            "position": {"latitude": LATITUDE + step * 3e-5, "longitude": LONGITUDE, "accuracy": 5},
        }))


# --- The app

fixes = []
came = threading.Condition()


def watch():
    """Receives live updates, as an app of any language does (docs/formats/link.md)."""
    link = socket.socket(socket.AF_UNIX)
    link.connect("/run/locationd/locationd.sock")
    link.sendall(b'{"method":"org.meridian.location.Watch","more":true}\0')
    data = b""
    while piece := link.recv(65536):
        data += piece
        *messages, data = data.split(b"\0")
        for message in messages:
            reply = json.loads(message)
            fix = reply.get("parameters", {}).get("update", {}).get("fix")
            if not fix:
                print("no position:", message.decode()[:200], flush=True)
                continue
            with came:
                fixes.append((fix["time"] / 1e9, fix.get("altitude"), fix.get("verticalAccuracy"), fix.get("floor")))
                came.notify_all()


def await_fix(name, seconds, is_meant):
    begin, seen = time.time(), len(fixes)
    with came:
        if came.wait_for(lambda: any(is_meant(fix) for fix in fixes[seen:]), seconds):
            print(f"{name} after {time.time() - begin:.1f} s", flush=True)
        else:
            print(f"no {name} in {seconds} s: {fixes[-3:]}", flush=True)


# --- The judgement

def during(begin, end):
    return [fix for fix in fixes if begin <= fix[0] <= end]


def judge(lost):
    """Compares the altitudes that the app has seen at rest with the truth."""
    means, held, claims, late = [], 0, [], []
    for stay in rests:
        # After the last sample of the ride.
        seen = [fix for fix in during(stay.begin + 2.5, stay.end) if fix[1] is not None]
        if not seen:
            print(f"  at {stay.altitude:.1f} m: no altitude", flush=True)
            continue
        heights, accuracies = [fix[1] for fix in seen], [fix[2] for fix in seen]
        # Doors are no ride.
        means.append((stay.altitude, statistics.median(heights)))
        held += sum(abs(fix[1] - stay.altitude) <= fix[2] for fix in seen)
        claims += accuracies
        if stay.begin >= lost:
            late += accuracies
        print(f"  at {stay.altitude:.1f} m: {means[-1][1]:.2f} m, {min(heights):.2f} to {max(heights):.2f}, "
              f"claims {max(accuracies):.1f} m, floors {sorted({str(fix[3]) for fix in seen})}", flush=True)
    changes = [abs((after[1] - before[1]) - (after[0] - before[0])) for before, after in zip(means, means[1:])]
    if late:
        print(f"{len(changes)} of {len(rests) - 1} changes from rest to rest: "
              f"off {max(changes, default=0):.2f} m at most")
        print(f"the altitude holds in {100 * held / len(claims):.0f} % of {len(claims)} positions, "
              f"which claim {min(claims):.1f} to {max(claims):.1f} m")
        print(f"without satellites the claim grows by {late[-1] - late[0]:.2f} m")


def judge_floors(stays):
    """Compares the floors of fixes at rest with the truth, and those of a ride with its two ends."""
    right, false, seen, before = 0, 0, 0, stays[0]
    for stay in stays:
        arriving, at_rest = during(before.end, stay.begin + 9), during(stay.begin + 9, stay.end)
        right += bool(at_rest) and all(fix[3] == stay.floor for fix in at_rest)
        false += sum(fix[3] not in (before.floor, stay.floor) for fix in arriving)
        false += sum(fix[3] != stay.floor for fix in at_rest)
        seen += len(arriving) + len(at_rest)
        before = stay
    print(f"floors: {right} of {len(stays)} rests, {false} false of {seen} positions")


def main():
    global sky, hears
    show(GROUND)
    serve(RECEIVER, epoch, 1)
    serve(SCANS, scan, 2)
    threading.Thread(target=watch, daemon=True).start()
    await_fix("position with an altitude", 60, lambda fix: fix[1] is not None)
    # Until the receiver has taught the altitude.
    time.sleep(25)
    rest(15)
    for floors in (1, -1):
        ride(floors)
        rest(11)
    print(f"before the map shows one: {sum(fix[3] is not None for fix in fixes)} floors in {len(fixes)} positions",
          flush=True)

    lost = time.time()
    sky, hears = "lost", True
    await_fix("the floor", 90, lambda fix: fix[3] == 0)
    print("without satellites:", fixes[-1:], flush=True)
    sky, hears = "flat", False
    rest(12)
    for floors, puff in ((1, 0), (1, 2.5), (2, 0), (-3, 0), (-1, -2.5)):
        ride(floors)
        rest(13, puff)
    judge(lost)
    judge_floors(rests[3:])


if BUS == "map":
    print_map()
else:
    main()
