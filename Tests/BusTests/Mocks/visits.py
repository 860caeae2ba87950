"""Calls of a `bluetoothd` to the objects that programs offer it, made by the mock that owns its name."""

import dbus

MONITOR = "org.bluez.AdvertisementMonitor1"
ADVERTISEMENT = "org.bluez.LEAdvertisement1"
ADVERTISEMENT_PATH = "/org/meridian/advertisements/ibeacon"


def face(bus, name, path, interface):
    return dbus.Interface(bus.get_object(name, path, introspect=False), interface)


def found(bus, name, device):
    """Reads the monitor of a connection, and calls it; empty when it has none."""
    try:
        root = face(bus, name, "/org/meridian/monitors", "org.freedesktop.DBus.ObjectManager")
        objects = root.GetManagedObjects(timeout=1)
    except dbus.DBusException:
        return ""
    for path, interfaces in objects.items():
        pattern = interfaces[MONITOR]["Patterns"][0]
        whole = face(bus, name, path, dbus.PROPERTIES_IFACE).GetAll(MONITOR)
        assert whole["Type"] == "or_patterns", whole
        face(bus, name, path, MONITOR).Activate()
        face(bus, name, path, MONITOR).DeviceFound(dbus.ObjectPath(device))
        return "found " + bytes(pattern[2]).hex()
    return ""


def advertised(bus, name):
    """What a connection offers at the path of an advertisement; empty when it has none."""
    try:
        offer = face(bus, name, ADVERTISEMENT_PATH, dbus.PROPERTIES_IFACE).GetAll(
            ADVERTISEMENT, timeout=1)
    except dbus.DBusException:
        return ""
    return f"{offer['Type']} {bytes(offer['ManufacturerData'][0x004C]).hex()}"
