"""Calls of a service to the objects that programs offer it, made by the mock that owns its name."""

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
    try:
        for path, interfaces in objects.items():
            pattern = interfaces[MONITOR]["Patterns"][0]
            whole = face(bus, name, path, dbus.PROPERTIES_IFACE).GetAll(MONITOR)
            assert whole["Type"] == "or_patterns", whole
            face(bus, name, path, MONITOR).Activate()
            face(bus, name, path, MONITOR).DeviceFound(dbus.ObjectPath(device))
            return "found " + bytes(pattern[2]).hex()
    except dbus.DBusException:
        # The device's own signal has come first, and the program discovers by now.
        return "withdrawn"
    return ""


def advertised(bus, name):
    """What a connection offers at the path of an advertisement; empty when it has none."""
    try:
        offer = face(bus, name, ADVERTISEMENT_PATH, dbus.PROPERTIES_IFACE).GetAll(
            ADVERTISEMENT, timeout=1)
    except dbus.DBusException:
        return ""
    return f"{offer['Type']} {bytes(offer['ManufacturerData'][0x004C]).hex()}"


def entries(bus, name):
    """The entries of the menu of a connection's item, by label; empty when it has none."""
    try:
        item = face(bus, name, "/StatusNotifierItem", dbus.PROPERTIES_IFACE).GetAll(
            "org.kde.StatusNotifierItem", timeout=2)
    except dbus.DBusException:
        return None, {}
    assert item["Id"] == "meridian-location" and item["ItemIsMenu"], item
    menu = face(bus, name, item["Menu"], "com.canonical.dbusmenu")
    menu.AboutToShow(dbus.Int32(0))
    _, (root, _, children) = menu.GetLayout(
        dbus.Int32(0), dbus.Int32(-1), dbus.Array([], signature="s"))
    assert root == 0
    return menu, {str(entry[1]["label"]): entry for entry in children if "label" in entry[1]}


def menu(bus, name):
    return " | ".join(entries(bus, name)[1])


def click(bus, name, label):
    """Presses an entry, as a panel does."""
    menu, labels = entries(bus, name)
    if label not in labels:
        return ""
    number, properties, _ = labels[label]
    assert properties["enabled"], properties
    menu.Event(number, "clicked", dbus.Int32(0, variant_level=1), dbus.UInt32(0))
    return "ok"
