"""Programs of Debian's that ask GeoClue, unchanged, each on the same machine: what it said of the place.

  clients.py meridian|geoclue LOCATIOND [NAME…]

Prints a line of a table for each, and fails when one did not find the place (of Meridian; what the comparison says is
only shown). Run by Scripts/geoclue.sh, which cuts it off from the network."""
import re
import subprocess
import sys
import time

from machine import PLACE, PROGRAMS, PYTHON, Machine

DEMO = "/usr/libexec/geoclue-2.0/demos/where-am-i"
NUMBER = r"-?\d+(?:\.\d+)?"


def version(package):
    shown = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True)
    return shown.stdout.strip()


def where_am_i(machine):
    return machine.start(DEMO, "-t", "30", "-a", "8")


def lamp(program):
    def run(machine):
        return machine.start(program, "-l", "geoclue2", "-p")
    return run


def script(name, *words):
    def run(machine):
        return machine.start(PYTHON, str(PROGRAMS / name), *words)
    return run


def browser(machine):
    return machine.start(PYTHON, str(PROGRAMS / "browser.py"), "/usr/bin/firefox-esr",
                         str(machine.folder / "home/profile"))


def weather(machine):
    return machine.start(PYTHON, str(PROGRAMS / "weather.py"), *map(str, PLACE), NO_AT_BRIDGE="0")


def agent(machine):
    """GeoClue's demo agent registers, and is still there when another program has its position."""
    machine.desktop()
    if machine.kind == "meridian":
        process = machine.start("/usr/libexec/geoclue-2.0/demos/agent")
        machine.stack.callback(lambda: process.poll() is None or sys.exit("the demo agent has ended"))
    return where_am_i(machine)


def refused(machine):
    return portal(machine, "no")


def portal(machine, answer="yes"):
    """The portal shows its interface only where something can show its dialogs."""
    machine.desktop(answer)
    folder = machine.folder / "portals"
    folder.mkdir()
    (folder / "example.portal").write_text(
        "[portal]\nDBusName=org.freedesktop.impl.portal.desktop.example\n"
        "Interfaces=org.freedesktop.impl.portal.Access\nUseIn=example\n")
    machine.start("/usr/libexec/xdg-permission-store")
    machine.await_name("org.freedesktop.impl.portal.PermissionStore", "--session")
    machine.start("/usr/libexec/xdg-desktop-portal", XDG_DESKTOP_PORTAL_DIR=str(folder),
                  XDG_CURRENT_DESKTOP="example")
    machine.await_name("org.freedesktop.portal.Desktop", "--session")
    # The portal asks the person about an app in a sandbox, which it knows by this file at the top of the app's disk.
    info = machine.folder / "flatpak-info"
    info.write_text("[Application]\nname=org.example.Maps\n[Instance]\ninstance-id=1\n")
    return machine.start(
        "bwrap", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib",
        "--symlink", "usr/lib64", "/lib64", "--ro-bind", "/etc", "/etc", "--dev", "/dev", "--proc", "/proc",
        "--bind", machine.folder, machine.folder, "--ro-bind", PROGRAMS, PROGRAMS, "--ro-bind", info, "/.flatpak-info",
        PYTHON, str(PROGRAMS / "portal.py"))


# The name, Debian's package, how it is run, how far its place may be off, and what must be in a line of its.
CLIENTS = [
    ("where-am-i", "geoclue-2-demo", where_am_i, 0.001, rf"Latitude:\s*({NUMBER})"),
    # The next two ask for a city, and print degrees with two places.
    ("its demo agent", "geoclue-2.0", agent, 0.001, rf"Latitude:\s*({NUMBER})"),
    ("redshift", "redshift", lamp("redshift"), 0.3, rf"Location: ({NUMBER})"),
    ("gammastep", "gammastep", lamp("gammastep"), 0.3, rf"Location: ({NUMBER})"),
    ("libgeoclue", "gir1.2-geoclue-2.0", script("library.py"), 0.001, rf"position ({NUMBER})"),
    ("Qt 5 Positioning", "libqt5positioning5-plugins", script("qt.py", "5"), 0.001, rf"position ({NUMBER})"),
    ("Qt 6 Positioning", "libqt6positioning6-plugins", script("qt.py", "6"), 0.001, rf"position ({NUMBER})"),
    ("xdg-desktop-portal", "xdg-desktop-portal", portal, 0.001, rf"position ({NUMBER})"),
    # A response of 1 is a person's no; of the place nothing may be said then.
    ("the same, refused", "xdg-desktop-portal", refused, None, r"(response 1)"),
    # The window names the nearest city of GNOME's list.
    ("GNOME Weather", "gnome-weather", weather, 0.3, rf"shows .* at ({NUMBER})"),
    ("Firefox ESR", "firefox-esr", browser, 0.001, rf"position ({NUMBER})"),
]


def run(kind, locationd, name, package, start, most, pattern):
    with Machine(kind, locationd) as machine:
        began = time.monotonic()
        process = start(machine)
        end = began + (60 if kind == "meridian" else 30)
        while time.monotonic() < end:
            ended = process.poll() is not None
            for line in list(process.said):
                if found := re.search(pattern, line):
                    seconds = time.monotonic() - began
                    if most is None:
                        return all("position" not in line for line in process.said), process.said, seconds
                    return abs(float(found.group(1)) - PLACE[0]) <= most, process.said, seconds
            if ended and time.monotonic() - began > 3:
                break
            time.sleep(0.02)
        return False, process.said + ["-- service:"] + machine.service.said[-15:], None


def main():
    kind, locationd, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    failed = []
    print("| client | package | seen |\n|---|---|---|", flush=True)
    for name, package, start, most, pattern in CLIENTS:
        if names and name not in names:
            continue
        number = version(package)
        if not number:
            print(f"| {name} | {package} is not installed | — |", flush=True)
            continue
        good, said, seconds = run(kind, locationd, name, package, start, most, pattern)
        line = next((line for line in said if re.search(pattern, line)), "no position")
        took = f", after {seconds:.1f} s" if seconds else ""
        print(f"| {name} | {package} {number} | {line.strip()}{took} |", flush=True)
        if not good:
            failed.append(name)
            print("\n".join(said[-25:]), file=sys.stderr)
    if failed and kind == "meridian":
        sys.exit("no position: " + ", ".join(failed))


main()
