"""A person's bus with a keyring on it: gnome-keyring-daemon, or a service that answers as a test wants.

Prints the address of the bus, then obeys one command per line and answers each with one line:

  keyring start             gnome-keyring-daemon, its first collection made and unlocked with a password
  keyring start locked      the same without the password
  keyring stop              ends it with SIGKILL, as a crash does
  lock | unlock             the collection
  items                     the names of this program's items, sorted, with a space between them
  secret NAME               what an item holds
  change NAME SECRET        changes that
  delete                    all of these items
  fake MODE                 a service of the same name, which keeps one secret in memory, and has a fault:
      none                  no fault
      silent                it never answers GetSecret
      dies                  it ends when it is asked for a secret
      refuses               it answers GetSecret with an error
      short | long          the secret has three bytes, or a million
      other                 the secret is in a session that was not opened
      types                 SearchItems answers values of other types
      forgets               it says that it has stored what it has not
      prompts               it always wants to show a window
      temporary             its only collection ends with the session
      bare                  it has no collection
  fake stop
  asked                     the members that the service was called with, in order, without repeats
  foreign                   a bus of the user nobody; answers with its address
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

import dbus
import dbus.bus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.secrets"
PATH = "/org/freedesktop/secrets"
SECRET = "org.freedesktop.Secret."
SCHEMA = {"xdg:schema": "org.meridian.StateKey"}
PASSWORD = b"a password"
HERE = os.path.dirname(os.path.abspath(__file__))


class Fake(dbus.service.Object):
    """One collection with one item, and one fault."""

    def __init__(self, bus, mode):
        self.mode, self.secret, self.names = mode, None, {}
        self.asked = []
        super().__init__(bus, PATH)
        self.collection = FakeCollection(bus, self)
        self.item = FakeItem(bus, self)

    def note(self, member):
        if member not in self.asked:
            self.asked.append(member)

    @dbus.service.method(SECRET + "Service", in_signature="s", out_signature="o")
    def ReadAlias(self, name):
        self.note("ReadAlias")
        temporary = name == "session" and self.mode != "temporary"
        return dbus.ObjectPath("/" if temporary or self.mode == "bare" else PATH + "/collection/own")

    @dbus.service.method(SECRET + "Service", in_signature="sv", out_signature="vo")
    def OpenSession(self, algorithm, _):
        self.note("OpenSession " + algorithm)
        return dbus.String(""), dbus.ObjectPath(PATH + "/session/s1")

    def SearchItems(self, attributes):
        self.note("SearchItems")
        if self.mode == "types":
            return dbus.String("nothing"), dbus.String("at all")
        found = [PATH + "/collection/own/1"] if attributes == self.names and self.names else []
        locked = found if self.mode == "prompts" else []
        return (dbus.Array([] if locked else found, signature="o"), dbus.Array(locked, signature="o"))

    @dbus.service.method(SECRET + "Service", in_signature="ao", out_signature="aoo")
    def Unlock(self, objects):
        self.note("Unlock")
        return dbus.Array([], signature="o"), dbus.ObjectPath(PATH + "/prompt/p1")

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, _, name):
        self.note("Get " + name)
        none = self.mode == "bare"
        return dbus.Array([] if none else [PATH + "/collection/own"], signature="o")


# The signature of an answer is part of a fault, so it is not fixed.
def search(signature):
    def SearchItems(self, attributes):
        return Fake.SearchItems(self, attributes)
    return dbus.service.method(
        SECRET + "Service", in_signature="a{ss}", out_signature=signature)(SearchItems)


class Honest(Fake):
    SearchItems = search("aoao")


class Confused(Fake):
    SearchItems = search("ss")


class FakeCollection(dbus.service.Object):
    def __init__(self, bus, service):
        self.service = service
        super().__init__(bus, PATH + "/collection/own")

    @dbus.service.method(SECRET + "Collection", in_signature="a{sv}(oayays)b", out_signature="oo")
    def CreateItem(self, properties, secret, _):
        self.service.note("CreateItem")
        if self.service.mode != "forgets":
            self.service.secret = bytes(bytearray(secret[2]))
            self.service.names = dict(properties[SECRET + "Item.Attributes"])
        return dbus.ObjectPath(PATH + "/collection/own/1"), dbus.ObjectPath("/")

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, _, name):
        self.service.note("Get " + name)
        return dbus.Boolean(self.service.mode == "prompts")


class FakeItem(dbus.service.Object):
    def __init__(self, bus, service):
        self.service = service
        super().__init__(bus, PATH + "/collection/own/1")

    @dbus.service.method(
        SECRET + "Item", in_signature="o", out_signature="(oayays)",
        async_callbacks=("answer", "refuse"))
    def GetSecret(self, session, answer, refuse):
        self.service.note("GetSecret")
        mode = self.service.mode
        secret = self.service.secret or b""
        if mode == "silent":
            return
        if mode == "dies":
            os._exit(1)
        if mode == "refuses":
            refuse(dbus.DBusException("no", name="org.example.Error.No"))
            return
        secret = {"short": b"abc", "long": b"0" * 1000000}.get(mode, secret)
        if mode == "other":
            session = dbus.ObjectPath(PATH + "/session/s2")
        answer((session, dbus.ByteArray(b""), dbus.ByteArray(secret), dbus.String("text/plain")))

    @dbus.service.method(SECRET + "Item", out_signature="o")
    def Delete(self):
        self.service.note("Delete")
        self.service.names = {}
        return dbus.ObjectPath("/")


def serve(address, mode):
    """The fake service, in a process of its own; obeys `mode` and `asked` on its standard input."""
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(address)
    service = (Confused if mode == "types" else Honest)(bus, mode)
    bus.request_name(NAME)
    print("ready", flush=True)

    def obey(source, _):
        words = source.readline().split()
        if not words:
            sys.exit(0)
        if words[0] == "mode":
            service.mode = words[1]
        print(", ".join(service.asked) if words[0] == "asked" else "ok", flush=True)
        return True

    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, obey)
    GLib.MainLoop().run()


class Keyring:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="keyring-")
        os.mkdir(self.home + "/run", 0o700)
        self.daemons = []
        self.address = self.start_bus([])
        self.bus = dbus.bus.BusConnection(self.address)
        self.keyring = self.fake = None

    def start_bus(self, prefix):
        daemon = subprocess.Popen(
            [*prefix, "dbus-daemon", "--config-file=" + HERE + "/bus.conf", "--nofork",
             "--print-address=1"], stdout=subprocess.PIPE, text=True)
        self.daemons.append(daemon)
        return daemon.stdout.readline().strip()

    def until(self, condition):
        """Waits at most twenty seconds, so that a test that fails does not hang."""
        end = time.monotonic() + 20
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError
            time.sleep(0.01)

    def is_there(self):
        return self.bus.name_has_owner(NAME)

    def call(self, path, interface, member, *arguments):
        target = self.bus.get_object(NAME, path, introspect=False)
        return dbus.Interface(target, interface).get_dbus_method(member)(*arguments)

    def start(self, *options):
        environment = dict(
            os.environ, DBUS_SESSION_BUS_ADDRESS=self.address, HOME=self.home,
            XDG_DATA_HOME=self.home + "/data", XDG_RUNTIME_DIR=self.home + "/run")
        command = ["gnome-keyring-daemon", "--foreground", "--components=secrets"]
        if options != ("locked",):
            command.append("--unlock")
        self.keyring = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        if options != ("locked",):
            self.keyring.stdin.write(PASSWORD)
        self.keyring.stdin.close()
        self.until(self.is_there)

    def stop(self):
        self.keyring.kill()
        self.keyring.wait()
        self.until(lambda: not self.is_there())

    def default(self):
        return self.call(PATH, SECRET + "Service", "ReadAlias", "default")

    def lock(self):
        self.call(PATH, SECRET + "Service", "Lock", dbus.Array([self.default()], signature="o"))

    def unlock(self):
        secret = dbus.Struct(
            (self.session(), dbus.ByteArray(b""), dbus.ByteArray(PASSWORD), "text/plain"),
            signature="oayays")
        self.call(
            PATH, "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface",
            "UnlockWithMasterPassword", self.default(), secret)

    def session(self):
        return self.call(
            PATH, SECRET + "Service", "OpenSession", "plain", dbus.String("", variant_level=1))[1]

    def found(self, **more):
        attributes = dbus.Dictionary(dict(SCHEMA, **more), signature="ss")
        open_ones, locked = self.call(PATH, SECRET + "Service", "SearchItems", attributes)
        return list(open_ones) + list(locked)

    def items(self):
        names = [
            str(self.call(item, dbus.PROPERTIES_IFACE, "Get", SECRET + "Item", "Attributes")["name"])
            for item in self.found()]
        return " ".join(sorted(names))

    def secret(self, name):
        value = self.call(self.found(name=name)[0], SECRET + "Item", "GetSecret", self.session())
        return bytes(bytearray(value[2])).decode()

    def change(self, name, secret):
        value = dbus.Struct(
            (self.session(), dbus.ByteArray(b""), dbus.ByteArray(secret.encode()), "text/plain"),
            signature="oayays")
        self.call(self.found(name=name)[0], SECRET + "Item", "SetSecret", value)

    def delete(self):
        for item in self.found():
            self.call(item, SECRET + "Item", "Delete")

    def start_fake(self, mode):
        if self.fake and self.fake.poll() is None:
            return self.tell("mode " + mode)
        self.fake = subprocess.Popen(
            [sys.executable, __file__, "serve", self.address, mode], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        return self.fake.stdout.readline().strip()

    def tell(self, line):
        self.fake.stdin.write(line + "\n")
        self.fake.stdin.flush()
        return self.fake.stdout.readline().strip()

    def stop_fake(self):
        self.fake.kill()
        self.fake.wait()
        self.until(lambda: not self.is_there())

    def obey(self, words):
        match words:
            case ["keyring", "start", *options]: self.start(*options)
            case ["keyring", "stop"]: self.stop()
            case ["lock"]: self.lock()
            case ["unlock"]: self.unlock()
            case ["items"]: return self.items()
            case ["secret", name]: return self.secret(name)
            case ["change", name, secret]: self.change(name, secret)
            case ["delete"]: self.delete()
            case ["fake", "stop"]: self.stop_fake()
            case ["fake", mode]: self.start_fake(mode)
            case ["asked"]: return self.tell("asked")
            case ["foreign"]: return self.start_bus(["setpriv", "--reuid=65534", "--clear-groups"])
        return "ok"

    def end(self):
        for process in [self.keyring, self.fake, *self.daemons]:
            if process and process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


def main():
    keyring = Keyring()
    print(keyring.address, flush=True)
    try:
        for line in sys.stdin:
            print(keyring.obey(line.split()), flush=True)
    finally:
        keyring.end()


if sys.argv[1:2] == ["serve"]:
    serve(*sys.argv[2:])
else:
    main()
