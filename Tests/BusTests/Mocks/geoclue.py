"""A program that asks GeoClue on the system bus, by python-dbus; each command is one line.

Every connection has a letter, and is made by its first command. Answers each with one line.

  A client                  GetClient; answers with the path
  A create                  CreateClient
  A delete PATH
  A start PATH | A stop PATH
  A starts PATH N           N calls of Start at once; answers with the first error
  A set PATH NAME VALUE     a number, or text
  A get PATH INTERFACE NAME
  A all PATH INTERFACE      how many properties there are
  A await PATH              until the next LocationUpdated of the client; answers with both objects
  A await Active VALUE      until the next PropertiesChanged with this value
  A await InUse VALUE
  A agent ID                AddAgent, of an agent without a level
  A agent ID LEVEL          AddAgent, of one with this level; returns when it was asked for that
  A level LEVEL             changes the level of the agent, and says so to everybody
  A leave                   ends the connection, and waits until the bus has said so
  A own                     asks for the name, as GeoClue does
  many N                    N connections, 0 and so on, each with a client; answers how many have one
"""
import os
import signal
import sys

import dbus
import dbus.bus
import dbus.lowlevel
import dbus.mainloop.glib
from gi.repository import GLib

NAME, ROOT = "org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2"
PROPERTIES = "org.freedesktop.DBus.Properties"
# Whatever is waited for comes before; else the test goes on without an answer.
signal.alarm(50)
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)


class Connection:
    def __init__(self):
        self.bus = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
        self.bus.set_exit_on_disconnect(False)
        self.heard = []
        self.level, self.asked = None, False
        self.bus.add_message_filter(self.hear)
        self.bus.add_match_string(
            f"type='signal',interface='{PROPERTIES}',path='{ROOT}/Manager'")

    def hear(self, bus, message):
        path = message.get_path() or ""
        if message.get_type() == 1 and path == ROOT + "/Agent" and self.level is not None:
            reply = dbus.lowlevel.MethodReturnMessage(message)
            reply.append(dbus.UInt32(self.level, variant_level=1))
            bus.send_message(reply)
            self.asked = True
            return dbus.lowlevel.HANDLER_RESULT_HANDLED
        if message.get_type() == 4 and (path.startswith(ROOT) or path == "/org/freedesktop/DBus"):
            self.heard.append((message.get_path(), message.get_member(), message.get_args_list()))
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def call(self, path, interface, member, signature="", *arguments):
        return self.bus.call_blocking(NAME, path, interface, member, signature, arguments)

    def starts(self, path, count):
        errors = []
        for _ in range(count):
            self.bus.call_async(NAME, path, NAME + ".Client", "Start", "", (),
                                lambda: None, errors.append)
        while not errors:
            GLib.MainContext.default().iteration(True)
        raise errors[0]

    def wait(self, choose):
        """The first signal, of those that were not waited for, of which something can be made."""
        while True:
            while self.heard:
                value = choose(*self.heard.pop(0))
                if value is not None:
                    return value
            GLib.MainContext.default().iteration(True)

    def do(self, word, rest):
        manager, client = NAME + ".Manager", NAME + ".Client"
        if word == "client":
            return self.call(ROOT + "/Manager", manager, "GetClient")
        if word == "create":
            return self.call(ROOT + "/Manager", manager, "CreateClient")
        if word == "delete":
            return self.call(ROOT + "/Manager", manager, "DeleteClient", "o", rest[0])
        if word == "agent":
            self.level = int(rest[1]) if rest[1:] else None
            self.call(ROOT + "/Manager", manager, "AddAgent", "s", rest[0])
            while self.level is not None and not self.asked:
                GLib.MainContext.default().iteration(True)
            return None
        if word == "level":
            self.level = int(rest[0])
            signal = dbus.lowlevel.SignalMessage(ROOT + "/Agent", PROPERTIES, "PropertiesChanged")
            changes = {"MaxAccuracyLevel": dbus.UInt32(self.level, variant_level=1)}
            signal.append(NAME + ".Agent", changes, [], signature="sa{sv}as")
            return self.bus.send_message(signal) and None
        if word in ("start", "stop"):
            return self.call(rest[0], client, word.title())
        if word == "starts":
            return self.starts(rest[0], int(rest[1]))
        if word == "set":
            value = dbus.UInt32(rest[2]) if rest[2].isdigit() else dbus.String(rest[2])
            return self.call(rest[0], PROPERTIES, "Set", "ssv", client, rest[1], value)
        if word == "get":
            return self.call(rest[0], PROPERTIES, "Get", "ss", f"{NAME}.{rest[1]}", rest[2])
        if word == "all":
            return len(self.call(rest[0], PROPERTIES, "GetAll", "s", f"{NAME}.{rest[1]}"))
        if word == "await" and rest[0].startswith("/"):
            return self.wait(lambda path, member, arguments:
                             " ".join(arguments) if member == "LocationUpdated" and path == rest[0]
                             else None)
        if word == "await":
            return self.wait(lambda path, member, arguments:
                             "ok" if member == "PropertiesChanged"
                             and str(bool(arguments[1].get(rest[0]))).lower() == rest[1]
                             and rest[0] in arguments[1] else None)
        if word == "own":
            return self.bus.request_name(NAME, 4)
        raise ValueError(word)


def leave(letter):
    """Ends a connection, and returns when everybody on the bus can know."""
    leaving, witness = connections.pop(letter), Connection()
    name = leaving.bus.get_unique_name()
    witness.bus.add_match_string(f"type='signal',member='NameOwnerChanged',arg0='{name}'")
    leaving.bus.close()
    witness.wait(lambda path, member, arguments:
                 True if member == "NameOwnerChanged" and arguments[0] == name else None)
    witness.bus.close()


def many(count):
    made = 0
    for number in range(count):
        try:
            connections[str(number)] = connection = Connection()
            connection.do("client", [])
            made += 1
        except dbus.DBusException:
            pass
    return made


connections = {}
print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    try:
        if words[0] == "many":
            answer = many(int(words[1]))
        elif words[1] == "leave":
            answer = leave(words[0])
        else:
            if words[0] not in connections:
                connections[words[0]] = Connection()
            answer = connections[words[0]].do(words[1], words[2:])
    except dbus.DBusException as error:
        answer = f"{error.get_dbus_name().split('.')[-1]}: {error.get_dbus_message()}"
    print("ok" if answer is None else answer, flush=True)
