"""A machine in a network of its own, whose only way out ends in another network, that of world.py.

usage: unshare --net --mount python3 machine.py FOLDER BINARIES HEARD [SOURCE...]

Starts a daemon with the sources, teaches it a map, has it asked for everything, and prints a line each:
`WORD CODE` of locationctl, `app LATITUDE` of an app, or `app none`, `asked PATH` for each request to a service, on this
machine or elsewhere, `sent COUNT WHERE` for what left the network, and `done`. HEARD is what the radio at
127.0.0.1:7001 receives: `known`, what the map knows, or `strange`. A service listens at 127.0.0.1:7002,
another at https://192.0.2.1.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time

import world

BEACONS = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
QUIET = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
folder, binaries, heard, sources = sys.argv[1], os.path.realpath(sys.argv[2]), sys.argv[3], sys.argv[4:]


def points(kind):
    start = {"known": 0x10, "strange": 0x80}[kind]
    return [{"macAddress": f"00:11:22:33:{start + n:02x}:02", "signalStrength": -50 - n}
            for n in range(6)]


def observation(n):
    place = {"latitude": 48.1 + n * 1e-6, "longitude": 11.5, "accuracy": 5}
    return {"timestamp": int(time.time() - 3600 + n) * 1000, "position": place,
            "wifiAccessPoints": points("known")}


def radio(listener):
    """A scan a second to whoever connects."""
    def send(connection):
        line = json.dumps({"wifiAccessPoints": points(heard)}).encode() + b"\n"
        try:
            while True:
                connection.sendall(line)
                time.sleep(1)
        except OSError:
            connection.close()
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=send, args=(connection,), daemon=True).start()


def run(*words):
    return subprocess.run(words, **QUIET).returncode


def join():
    """Makes the network, and what is at its other end."""
    certificate = ["-keyout", folder + "/server.key", "-out", folder + "/server.pem"]
    if run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
           "-nodes", "-subj", "/CN=world", "-days", "2", "-addext", "subjectAltName=IP:192.0.2.1",
           *certificate):
        sys.exit("no network: no certificate")
    if run("mount", "--bind", folder + "/server.pem", "/etc/ssl/certs/ca-certificates.crt"):
        sys.exit("no network: no authority")
    here = os.path.dirname(os.path.abspath(__file__))
    end = subprocess.Popen(["unshare", "--net", sys.executable, here + "/world.py", folder],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    end.stdout.readline()
    for line in ("link set lo up",
                 f"link add out address {world.MACHINE} type veth peer name wire address {world.WORLD}",
                 f"link set wire netns {end.pid}", "link set out addrgenmode none",
                 "address add 198.51.100.2/24 dev out", "link set out up",
                 f"neigh add 198.51.100.1 lladdr {world.WORLD} dev out nud permanent",
                 "route add default via 198.51.100.1"):
        if run("ip", *line.split()):
            sys.exit("no network: " + line)
    end.stdin.write("\n")
    end.stdin.flush()
    said = end.stdout.readline()
    if said != "ready\n":
        sys.exit("no network: " + said)
    return end


end = join()
asked = []
threading.Thread(target=radio, args=(socket.create_server(("127.0.0.1", 7001)),), daemon=True).start()
world.serve("127.0.0.1", 7002, asked)
notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notices.bind(folder + "/notices")
notices.settimeout(30)
own = {"PATH": os.environ["PATH"], "HOME": folder, "XDG_STATE_HOME": folder + "/own",
       "NOTIFY_SOCKET": folder + "/notices", "LOCATIOND_SOCKET": folder + "/socket"}
if "DBUS_SYSTEM_BUS_ADDRESS" in os.environ:
    own["DBUS_SYSTEM_BUS_ADDRESS"] = os.environ["DBUS_SYSTEM_BUS_ADDRESS"]
if sources:
    own["CORELOCATION_SOURCES"] = " ".join(sources)
with open(folder + "/locationd.conf", "w") as file:
    file.write(f"owner-program = {binaries}/locationctl\nagent-program = {binaries}/locationctl\n")
with open(folder + "/map.json", "w") as file:
    json.dump({"items": [observation(n) for n in range(20)]}, file)
daemon = subprocess.Popen(
    [binaries + "/locationd", "--socket", folder + "/socket", "--state", folder + "/state",
     "--config", folder + "/locationd.conf"], env=own, **QUIET)
while b"READY=1" not in notices.recv(4096):
    pass
app = binaries + "/AsyncApp"


def control(*words):
    done = subprocess.run([binaries + "/locationctl", *words], env=own, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


words = [["authorize", app, "always"], ["map", "import", folder + "/map.json"]]
# locationctl may find the place by itself, and has no map then, so that it would ask, too.
if not any(source.startswith("ichnaea:") for source in sources):
    words += [["once", "--timeout", "2"], ["reverse", "48.5,11.5"], ["geocode", "Ulm"], ["status"],
              ["doctor", "--timeout", "1"], ["beacons", BEACONS, "--timeout", "1"]]
for arguments in words:
    print(arguments[0], control(*arguments)[0], flush=True)
client = subprocess.Popen([app], env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
# Its first line has a latitude, or says why there is none.
last = client.stdout.readline().strip().split(" ")[-1]
print("app", last if last.replace(".", "").isdigit() else "none", flush=True)
print(control("status")[1], flush=True)
client.kill()
daemon.terminate()
daemon.wait()
for path in asked:
    print("asked", path)
print(end.communicate()[0], end="")
print("done", flush=True)
