"""A machine to ask GeoClue on: a bus of the system, a receiver, and the service that is asked, Meridian's or
Debian's. Used by clients.py and, for the figures, by rates.py; everything ends with the program."""
import contextlib
import datetime
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PYTHON = "/usr/bin/python3"
PLACE = (48.5, 11.5)

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=SOCKET</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><deny own="*"/><deny send_type="method_call"/><allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/><allow receive_type="method_return"/>
    <allow receive_type="error"/><allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus"/>
  </policy>
  <policy user="root"><allow own="*"/><allow send_type="method_call"/></policy>
  <includedir>/usr/share/dbus-1/system.d</includedir>
  <includedir>/etc/dbus-1/system.d</includedir>
  <include>POLICY</include>
</busconfig>
"""


def sentence(body):
    total = 0
    for byte in body.encode():
        total ^= byte
    return f"${body}*{total:02X}\r\n"


def degrees(value, width):
    whole = int(abs(value))
    return f"{whole:0{width}d}{(abs(value) - whole) * 60:08.5f}"


def epoch(number):
    """The sentences of one epoch, which moves north by some centimeters with each."""
    now = datetime.datetime.now(datetime.timezone.utc)
    clock, date = now.strftime("%H%M%S.%f")[:10], now.strftime("%d%m%y")
    latitude = degrees(PLACE[0] + number % 1000 * 1e-7, 2)
    place = f"{latitude},N,{degrees(PLACE[1], 3)},E"
    return (sentence(f"GPRMC,{clock},A,{place},0.5,10.0,{date},,,A")
            + sentence(f"GPGGA,{clock},{place},1,09,0.9,500.0,M,47.0,M,,"))


class Receiver:
    """Serves one stream of NMEA to whoever connects, by a socket's path, and by TCP: `rate` epochs in a
    second, or those that `send` is given."""

    def __init__(self, folder, rate):
        self.path = str(folder / "nmea.sock")
        unix = socket.socket(socket.AF_UNIX)
        unix.bind(self.path)
        os.chmod(self.path, 0o666)
        tcp = socket.create_server(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        self.readers, self.lock = [], threading.Lock()
        for server in (unix, tcp):
            server.listen(8)
            threading.Thread(target=self.accept, args=(server,), daemon=True).start()
        self.rate = rate
        if rate:
            threading.Thread(target=self.run, daemon=True).start()

    def accept(self, server):
        while True:
            reader = server.accept()[0]
            with self.lock:
                self.readers.append(reader)

    def run(self):
        number, due = 0, time.monotonic()
        while True:
            due += 1 / self.rate
            time.sleep(max(0, due - time.monotonic()))
            self.send(epoch(number))
            number += 1

    def send(self, text):
        with self.lock:
            for reader in list(self.readers):
                try:
                    reader.sendall(text.encode())
                except OSError:
                    self.readers.remove(reader)


class Machine:
    """The bus of the system and that of a session, with the service named `kind`."""

    def __init__(self, kind, locationd=None, rate=1):
        self.kind, self.stack = kind, contextlib.ExitStack()
        self.folder = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.folder.chmod(0o755)
        for name in ("home", "run"):
            (self.folder / name).mkdir(mode=0o700)
        self.receiver = Receiver(self.folder, rate)
        self.environment = {
            "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.folder / "home"),
            "XDG_RUNTIME_DIR": str(self.folder / "run"), "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local",
            "GSETTINGS_BACKEND": "memory", "QT_QPA_PLATFORM": "offscreen",
        }
        (self.folder / "system.conf").write_text(
            BUS.replace("SOCKET", str(self.folder / "system"))
            .replace("POLICY", str(ROOT / "dbus/meridian-geoclue.conf")))
        self.start("dbus-daemon", f"--config-file={self.folder}/system.conf", "--nofork",
                   "--print-address=1", until="unix:")
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={self.folder}/system"
        session = f"unix:path={self.folder}/session"
        self.start("dbus-daemon", "--session", "--nofork", f"--address={session}",
                   "--print-address=1", until="unix:")
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = session
        self.service = getattr(self, kind)(locationd)

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.stack.close()

    def start(self, *words, until=None, within=20, **more):
        """Starts a program that ends with the machine; waits for a line with a text."""
        process = subprocess.Popen(
            words, env=self.environment | more, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self.stack.callback(self.end, process)
        process.said = []
        heard = threading.Event()

        def read():
            for line in process.stdout:
                process.said.append(line.rstrip("\n"))
                if until and re.search(until, line):
                    heard.set()
            heard.set()

        threading.Thread(target=read, daemon=True).start()
        if until and not (heard.wait(within) and any(re.search(until, line) for line in process.said)):
            raise SystemExit(f"{words[0]} did not say “{until}”:\n" + "\n".join(process.said[-20:]))
        return process

    @staticmethod
    def end(process):
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def meridian(self, locationd):
        policy, configuration = self.folder / "policy", self.folder / "locationd.conf"
        policy.write_text("* always\n")
        configuration.write_text(
            f"geoclue = yes\nin-use = assumed\nagent = policy:{policy}\n"
            f"source = nmea+unix://{self.receiver.path}\n")
        self.socket = str(self.folder / "locationd.sock")
        return self.start(
            str(locationd), "--socket", self.socket, "--state", str(self.folder / "state"),
            "--config", str(configuration), until="serves the programs that ask",
            CORELOCATION_INDICATOR="no")

    def geoclue(self, _):
        """Debian's GeoClue with the same receiver and no other source, and its demo agent, without which
        it answers nobody. Its configuration is laid over /etc, in this program's own view of the disk."""
        text = pathlib.Path("/etc/geoclue/geoclue.conf").read_text()
        text = re.sub(r"# nmea-socket=.*", f"nmea-socket={self.receiver.path}", text)
        for section in ("3g", "cdma", "modem-gps", "wifi", "compass"):
            text = re.sub(rf"(\[{section}\][^[]*?)enable=true", r"\1enable=false", text)
        text = text.replace("#url=https://api.beacondb", "url=http://127.0.0.1:9/none#", 1)
        configuration = self.folder / "geoclue.conf"
        configuration.write_text(text)
        configuration.chmod(0o644)
        service = self.start(
            "unshare", "-m", "sh", "-c",
            f"mount --bind {configuration} /etc/geoclue/geoclue.conf && exec /usr/libexec/geoclue -t 3600",
            # What it says costs time, so it says it only where nobody counts.
            **({"G_MESSAGES_DEBUG": "Geoclue"} if self.receiver.rate else {}))
        self.await_name("org.freedesktop.GeoClue2")
        self.desktop()
        self.start("/usr/libexec/geoclue-2.0/demos/agent")
        return service

    def least(self, program):
        """What no service can do without: see programs/least.c."""
        return self.start(program, self.receiver.path, until="ready")

    def desktop(self, answer="yes"):
        """A desktop, whose person answers so."""
        (self.folder / "answer").write_text(answer)
        if not hasattr(self, "panel"):
            self.panel = self.start(
                PYTHON, str(PROGRAMS / "desktop.py"), until="ready", ANSWER=str(self.folder / "answer"))

    def await_name(self, name, bus="--system"):
        subprocess.run(
            ["gdbus", "wait", bus, "--timeout", "20", name], env=self.environment, check=True)

