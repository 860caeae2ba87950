"""Figures of the way by GeoClue's interface, Meridian's and Debian's GeoClue in turns on one machine with one receiver:
the time from the write of an epoch to a client's signal, processor time, updates in a second, wakes of an idle client.
Beside them the least that a service can do (programs/least.c): the part of the way that no service can shorten.

  rates.py LOCATIOND

Prints NAME VALUE UNIT LABEL for each. Run by `Benchmarks geoclue`, which cuts it off from the network."""
import glob
import os
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from machine import PROGRAMS, Machine, epoch

KINDS = ("meridian", "geoclue", "least")
WARM, COUNTED, PAUSE = 20, 200, 0.03
# Epochs in a second, and seconds of them, for the updates in a second.
FLOOD, FLOODED = 500, 4
IDLE = 20


class Client:
    """Clients of a machine's service, in one process."""

    def __init__(self, machine, program, count, kind="started"):
        self.process = subprocess.Popen(
            [program, str(count), kind], env=machine.environment, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit(f"a client of {machine.kind} does not start")
        self.heard, self.count = queue.Queue(), 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.count += 1
            self.heard.put(int(line.split()[1]))

    def clear(self):
        while not self.heard.empty():
            self.heard.get()

    def end(self):
        self.process.kill()
        self.process.wait()


def threads(identifier, name):
    for folder in glob.glob(f"/proc/{identifier}/task/*"):
        with open(f"{folder}/{name}") as file:
            yield file.read()


def processor(identifier):
    return sum(int(text.split()[0]) for text in threads(identifier, "schedstat")) / 1e9


def wakes(identifier):
    """By thread: one that ends takes its count with it."""
    return {line: int(text.split("\nvoluntary_ctxt_switches:")[1].split()[0])
            for text in threads(identifier, "status") for line in text.splitlines() if line.startswith("Pid:")}


def race(machines, program, count):
    """Epochs to one machine after the other: delays until the last of so many clients, processor time of an
    update and client."""
    clients = {kind: Client(machine, program, count) for kind, machine in machines.items()}
    delays, missed = {kind: [] for kind in KINDS}, {kind: 0 for kind in KINDS}
    spent = {kind: 0.0 for kind in KINDS}
    number = 0
    for turn in range(WARM + COUNTED):
        for kind in KINDS if turn % 2 else reversed(KINDS):
            machine, client = machines[kind], clients[kind]
            client.clear()
            number += 1
            text = epoch(number)
            before, begin = processor(machine.service.pid), time.monotonic_ns()
            machine.receiver.send(text)
            try:
                last = max(client.heard.get(timeout=1) for _ in range(count))
            except queue.Empty:
                last = None
            time.sleep(PAUSE)
            if turn < WARM:
                continue
            spent[kind] += processor(machine.service.pid) - before
            if last:
                delays[kind].append((last - begin) / 1e3)
            else:
                missed[kind] += 1
    for client in clients.values():
        client.end()
    for kind in KINDS:
        if missed[kind] > COUNTED / 20:
            raise SystemExit(f"{missed[kind]} of {COUNTED} epochs did not come by {kind}")
    return delays, {kind: spent[kind] / COUNTED / count * 1e6 for kind in KINDS}


def flood(machine, program):
    """Updates in a second that come to a client of a receiver that gives more than anybody needs."""
    client = Client(machine, program, 1)
    for number in range(WARM):
        machine.receiver.send(epoch(number))
        time.sleep(PAUSE)
    before, spent, begin = client.count, processor(machine.service.pid), time.monotonic()
    for number in range(FLOOD * FLOODED):
        time.sleep(max(0, begin + number / FLOOD - time.monotonic()))
        machine.receiver.send(epoch(number))
    time.sleep(0.5)
    updates, spent = client.count - before, processor(machine.service.pid) - spent
    client.end()
    return updates / FLOODED, spent / max(1, updates) * 1e6


def idle(machine, program):
    """How often the service's threads wake in a second while a client has started nothing."""
    client = Client(machine, program, 1, "idle")
    time.sleep(8)
    before = wakes(machine.service.pid)
    time.sleep(IDLE)
    count = sum(number - before.get(thread, 0) for thread, number in wakes(machine.service.pid).items())
    client.end()
    return count / IDLE


def show(name, value, unit, label):
    print(f"geoclue.{name} {value:.6g} {unit or '-'} {label}", flush=True)


def compare(name, values, unit, label):
    for kind, title in zip(KINDS, ("Meridian", "GeoClue", "the least")):
        show(f"{name}.{kind}", values[kind], unit, f"{label}, {title}")
    if values["geoclue"] > 0:
        show(f"{name}.ratio", values["meridian"] / values["geoclue"], "", f"{label}, ours over GeoClue's")
        show(f"{name}.ratio.least", values["least"] / values["geoclue"], "", f"{label}, the least over GeoClue's")


def built(folder, name):
    program = os.path.join(folder, name)
    subprocess.run(["cc", "-O2", str(PROGRAMS / f"{name}.c"), "-o", program, "-lsystemd"], check=True)
    return program


def main():
    with tempfile.TemporaryDirectory() as folder:
        program, least = (built(folder, name) for name in ("stopwatch", "least"))
        with Machine("meridian", sys.argv[1], rate=None) as ours, Machine("geoclue", rate=None) as theirs, \
                Machine("least", least, rate=None) as floor:
            machines = {"meridian": ours, "geoclue": theirs, "least": floor}
            compare("idle.wakes", {kind: idle(machines[kind], program) for kind in KINDS}, "/s",
                    "wakes with an idle client")
            for count in (1, 10):
                delays, spent = race(machines, program, count)
                title = "the client's signal" if count == 1 else f"the last of {count} signals"
                compare(f"latency.{count}", {kind: statistics.median(delays[kind]) for kind in KINDS}, "us",
                        f"from the receiver's line to {title}, median")
                compare(f"latency99.{count}", {kind: sorted(delays[kind])[len(delays[kind]) * 99 // 100]
                                               for kind in KINDS}, "us", f"to {title}, p99")
                compare(f"cpu.{count}", spent, "us", f"processor time of an update and client, {count} clients")
            floods = {kind: flood(machines[kind], program) for kind in KINDS}
            compare("rate", {kind: floods[kind][0] for kind in KINDS}, "/s", f"updates of {FLOOD} epochs in a second")
            compare("rate.cpu", {kind: floods[kind][1] for kind in KINDS}, "us", "processor time of one of those")


main()
