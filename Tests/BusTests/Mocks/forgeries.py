"""What a program without any right may try on the bus: messages to one connection, in others' names."""

import dbus
import dbus.bus
import dbus.lowlevel

DBUS = "org.freedesktop.DBus"
ADAPTER = "/org/bluez/hci0"


def device_properties(payload):
    data = {dbus.UInt16(0x004C): dbus.Array(bytes.fromhex(payload), signature="y", variant_level=1)}
    return dbus.Dictionary({
        "Address": dbus.String("C0:00:00:00:06:66", variant_level=1),
        "RSSI": dbus.Int16(-50, variant_level=1),
        "ManufacturerData": dbus.Dictionary(data, signature="qv", variant_level=1),
    }, signature="sv")


class Forger:
    def __init__(self, address):
        self.bus = dbus.bus.BusConnection(address)
        # Of a mock's process, which goes on.
        self.bus.set_exit_on_disconnect(False)
        self.name = self.bus.get_unique_name()

    def settle(self):
        """Returns when the bus has passed on everything that was sent."""
        self.bus.flush()
        self.bus.list_names()

    def signal(self, target, path, interface, member, signature, *values):
        message = dbus.lowlevel.SignalMessage(path, interface, member)
        message.set_destination(target)
        message.append(*values, signature=signature)
        self.bus.send_message(message)

    def beacon(self, target, path, payload):
        """A new device, and another content for one that is there."""
        properties = device_properties(payload)
        interfaces = dbus.Dictionary({"org.bluez.Device1": properties}, signature="sa{sv}")
        self.signal(target, "/", DBUS + ".ObjectManager", "InterfacesAdded", "oa{sa{sv}}",
                    dbus.ObjectPath(ADAPTER + "/dev_C0_00_00_00_06_66"), interfaces)
        self.signal(target, path, DBUS + ".Properties", "PropertiesChanged", "sa{sv}as",
                    "org.bluez.Device1", properties, dbus.Array([], signature="s"))

    def modem(self, target):
        """A modem that no ModemManager knows."""
        service = "org.freedesktop.ModemManager1"
        values = {
            service + ".Modem": {"State": dbus.Int32(8, variant_level=1)},
            service + ".Modem.Location": {"Capabilities": dbus.UInt32(5, variant_level=1)},
        }
        interfaces = dbus.Dictionary({
            name: dbus.Dictionary(properties, signature="sv")
            for name, properties in values.items()}, signature="sa{sv}")
        self.signal(target, "/org/freedesktop/ModemManager1", DBUS + ".ObjectManager",
                    "InterfacesAdded", "oa{sa{sv}}",
                    dbus.ObjectPath("/org/freedesktop/ModemManager1/Modem/66"), interfaces)

    def unplug(self, target, number):
        """The end of a modem that is there."""
        service = "org.freedesktop.ModemManager1"
        self.signal(target, "/org/freedesktop/ModemManager1", DBUS + ".ObjectManager",
                    "InterfacesRemoved", "oas",
                    dbus.ObjectPath(f"/org/freedesktop/ModemManager1/Modem/{number}"),
                    dbus.Array([service + ".Modem", service + ".Modem.Location"], signature="s"))

    def owner(self, target, service, old, new):
        self.signal(target, "/org/freedesktop/DBus", DBUS, "NameOwnerChanged", "sss",
                    service, old, new)

    def heading(self, target, path, interface, degrees):
        changes = dbus.Dictionary(
            {"CompassHeading": dbus.Double(degrees, variant_level=1)}, signature="sv")
        self.signal(target, path, DBUS + ".Properties", "PropertiesChanged", "sa{sv}as",
                    interface, changes, dbus.Array([], signature="s"))

    def devices(self, targets, count):
        """Answers to every call that was made by now: a device of the forger's."""
        self.answers(targets, count, "ao",
                     dbus.Array([dbus.ObjectPath("/org/forged")], signature="o"))

    def replies(self, targets, count):
        """Answers to every call that was made by now: a machine with an adapter of the forger's."""
        adapter = dbus.Dictionary(
            {"Powered": dbus.Boolean(True, variant_level=1)}, signature="sv")
        self.answers(targets, count, "a{oa{sa{sv}}}", dbus.Dictionary({
            dbus.ObjectPath("/org/bluez/forged"):
                dbus.Dictionary({"org.bluez.Adapter1": adapter}, signature="sa{sv}"),
        }, signature="oa{sa{sv}}"))

    def answers(self, targets, count, signature, value):
        """Answers to every call that was made by now.

        The number that a reply answers is taken from a call of our own, whose numbers count up as
        those of any connection do.
        """
        calls = []
        for _ in range(count):
            call = dbus.lowlevel.MethodCallMessage(DBUS, "/org/freedesktop/DBus", DBUS, "GetId")
            self.bus.send_message(call)
            calls.append(call)
        for target in sorted(name for name in targets if name.startswith(":")):
            for call in calls:
                reply = dbus.lowlevel.MethodReturnMessage(call)
                reply.set_destination(target)
                reply.append(value, signature=signature)
                self.bus.send_message(reply)
        self.settle()

    def call(self, target, path, interface, member, *values):
        """The name of the error that a call is answered with."""
        face = dbus.Interface(self.bus.get_object(target, path, introspect=False), interface)
        try:
            face.get_dbus_method(member)(*values, timeout=5)
        except dbus.DBusException as error:
            return error.get_dbus_name()
        return "answered"
