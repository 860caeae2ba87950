#!/usr/bin/python3
"""What it costs to range many beacons, with the bus, sd-bus, driver, engine, and program.

  Scripts/beacon_cost.py LOCATIONCTL [BEACONS [PER_SECOND [SECONDS]]]

On a private bus this script is a bluetoothd whose beacons advertise so often. Prints the processor
time that `locationctl beacons` took as a share of one core, and the allocations of each
advertisement; needs dbus-daemon, python3-dbus, python3-gi, and gcc.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

import dbus
import dbus.lowlevel
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

HERE = os.path.dirname(os.path.abspath(__file__))
ADAPTER = "/org/bluez/hci0"
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_long count;
extern void *__libc_malloc(size_t); extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t); extern void *__libc_memalign(size_t, size_t);
void *malloc(size_t n) { count++; return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { count++; return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { count++; return __libc_realloc(p, n); }
int posix_memalign(void **p, size_t a, size_t n) {
  count++; *p = __libc_memalign(a, n); return *p ? 0 : 12;
}
__attribute__((destructor)) static void end(void) { fprintf(stderr, "allocations %ld\n", count); }
"""


def device(number):
    return f"{ADAPTER}/dev_C0_00_00_00_{number >> 8:02X}_{number & 255:02X}"


def properties(number, rssi):
    payload = bytes.fromhex("0215" + UUID.replace("-", "") + f"0001{number:04x}c5")
    data = {dbus.UInt16(0x4C): dbus.Array(payload, signature="y", variant_level=1)}
    address = device(number)[-17:].replace("_", ":")
    return dbus.Dictionary({
        "Address": dbus.String(address, variant_level=1),
        "RSSI": dbus.Int16(rssi, variant_level=1),
        "ManufacturerData": dbus.Dictionary(data, signature="qv", variant_level=1),
    }, signature="sv")


def answer(message, bus, beacons):
    reply = dbus.lowlevel.MethodReturnMessage(message)
    if message.get_member() == "GetManagedObjects":
        objects = {dbus.ObjectPath(ADAPTER): {
            "org.bluez.Adapter1": {"Powered": dbus.Boolean(True, variant_level=1)}}}
        for number in range(beacons):
            objects[dbus.ObjectPath(device(number))] = {"org.bluez.Device1": properties(number, -60)}
        reply.append(objects, signature="a{oa{sa{sv}}}")
    bus.send_message(reply)
    return dbus.lowlevel.HANDLER_RESULT_HANDLED


def run(program, bus, address, load, counter):
    """Processor seconds, allocations, and advertisements of one run."""
    beacons, rate, seconds = load
    environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=address, LD_PRELOAD=counter)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = tempfile.TemporaryFile("w+")
    child = subprocess.Popen(
        [program, "beacons", UUID, "--json", "--count", str(seconds)], env=environment,
        stdout=output, stderr=subprocess.PIPE, text=True)
    sent, start, sweep = 0, time.monotonic(), 0
    while child.poll() is None and time.monotonic() - start < seconds + 20:
        for number in range(beacons if rate else 0):
            signal = dbus.lowlevel.SignalMessage(
                device(number), "org.freedesktop.DBus.Properties", "PropertiesChanged")
            changes = dbus.Dictionary(
                {"RSSI": dbus.Int16(-60 - (number + sweep) % 7, variant_level=1)}, signature="sv")
            signal.append("org.bluez.Device1", changes, dbus.Array([], signature="s"), signature="sa{sv}as")
            bus.send_message(signal)
            sent += 1
        sweep += 1
        bus.flush()
        due = start + sweep / max(rate, 10)
        while time.monotonic() < due:
            while GLib.MainContext.default().iteration(False):
                pass
            time.sleep(max(0, min(0.01, due - time.monotonic())))
    words = child.communicate()[1].split()
    output.seek(0)
    heard = output.readlines()[-1].count('"rssi"')
    if rate and heard != beacons:
        sys.exit(f"the program ranged {heard} of {beacons} beacons")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, int(words[words.index("allocations") + 1]), sent


def main():
    program = sys.argv[1]
    DBusGMainLoop(set_as_default=True)
    numbers = [int(word) for word in sys.argv[2:]]
    beacons, rate, seconds = (numbers + [200, 10, 10][len(numbers):])[:3]
    with tempfile.TemporaryDirectory() as folder:
        source, counter = folder + "/counter.c", folder + "/counter.so"
        with open(source, "w") as file:
            file.write(COUNTER)
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", counter, source], check=True)
        daemon = subprocess.Popen(
            ["dbus-daemon", f"--config-file={HERE}/../Tests/BusTests/Mocks/bus.conf", "--nofork",
             "--print-address=1"], stdout=subprocess.PIPE, text=True)
        try:
            address = daemon.stdout.readline().strip()
            bus = dbus.bus.BusConnection(address)
            bus.request_name("org.bluez")
            bus.add_message_filter(lambda connection, message: (
                answer(message, connection, beacons)
                if isinstance(message, dbus.lowlevel.MethodCallMessage)
                else dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED))
            idle = run(program, bus, address, (beacons, 0, seconds), counter)
            busy = run(program, bus, address, (beacons, rate, seconds), counter)
        finally:
            daemon.kill()
    print(f"{beacons} beacons at {rate}/s for {seconds} s: {busy[2]} advertisements")
    print(f"processor: {100 * (busy[0] - idle[0]) / seconds:.2f} % of one core"
          f" ({1e6 * (busy[0] - idle[0]) / busy[2]:.1f} us each)")
    print(f"allocations: {(busy[1] - idle[1]) / busy[2]:.1f} each")


main()
