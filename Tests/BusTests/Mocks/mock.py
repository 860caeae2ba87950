"""A machine's Bluetooth, compass, and desktop on a bus of their own, by python-dbusmock.

Prints the address of the bus, then obeys one command per line and answers each with one line:

  bluetoothd start | bluetoothd stop
  adapter | power on | power off | remove
  beacon ADDRESS HEX        advertises ten times a second, while the adapter discovers
  silence ADDRESS
  weaken DB                 all beacons are received so much weaker
  found ADDRESS             tells every monitor that is exported of the beacon
  await found ADDRESS       the same, until there is a monitor, or the adapter discovers for it already
  advertised                reads what is advertised, as a bluetoothd does: type, and payload as hex
  await discovering | await idle | await monitor | await advertisement | await silence
  compass start | compass stop | heading DEGREES | await claim | await release
  notifications start CAPABILITY... | notifications stop
  await notification N      answers with title, text, and the keys of the buttons of the Nth
  press N KEY | dismiss N | await closed N
  logind start | session USER | session PROPERTY yes|no   of the one session
  bus restart               ends the bus, and starts another at the same address, without services
  screensaver start | screensaver on | screensaver off
  watcher start | watcher stop
  await item N              until the Nth registration of an item with the watcher
  menu                      the labels of the menu that the watcher reads; nothing without one
  await menu LABEL          until one of its labels is this one; await no menu
  click LABEL               presses the entry with this label
  bus stop                  ends the bus, with everything on it
  shell start | shell stop  GNOME's shell, with no windows; shell deny lets nobody ask
  windows APP...            the windows that it has; +APP is the focused one
  portal start | portal stop  the desktop portal's backend; apps APP=STATE... are what it shows
  modems start | modems stop
  modem N                   adds a modem on LTE; modem N KEY=NUMBER... sets State, StateFailedReason,
                            UnlockRequired, Capabilities, Enabled, or SupportedAssistanceData
  unplug N
  enabled N                 what is set up
  await enabled N BITS      until this is set up
  await given N             until it was given assistance data; answers with the sizes
  units start [ERROR]       a service manager that freezes and thaws, or refuses with the error
  units calls               what it was called to do, in order
  network start             NetworkManager; network adapter STATE adds wlan0, 30 is disconnected
  network refuse ERROR      scans are refused with this error
  await scans N             until the Nth request; answers with its options
  supplicant start          wpa_supplicant with wlan0; await passive scan, the type of the first
  forge WHAT...             tries something in another's name on every program; see forge_at
  forge replies N           bluetoothd's next answer comes after forged ones to N calls each
  forge devices N           the same of NetworkManager's next list of devices
"""

import json
import os
import select
import subprocess
import sys
import time

import dbus
import dbus.bus

import forgeries

ADAPTER = "/org/bluez/hci0"
MONITOR = "org.bluez.AdvertisementMonitor1"
MONITOR_PATH = "/org/meridian/monitors/ibeacon"
COMPASS = "net.hadess.SensorProxy.Compass"
COMPASS_PATH = "/net/hadess/SensorProxy/Compass"
NOTIFICATIONS = "org.freedesktop.Notifications"
NOTIFICATIONS_PATH = "/org/freedesktop/Notifications"
LOGIND = "org.freedesktop.login1"
SCREENSAVER = "org.gnome.ScreenSaver"
WATCHER = "org.kde.StatusNotifierWatcher"
WATCHER_PATH = "/StatusNotifierWatcher"
MENU = "com.canonical.dbusmenu"
SHELL = "org.gnome.Shell"
SHELL_PATH = "/org/gnome/Shell/Introspect"
INTROSPECT = "org.gnome.Shell.Introspect"
PORTAL = "org.freedesktop.impl.portal.desktop.gnome"
PORTAL_PATH = "/org/freedesktop/portal/desktop"
BACKGROUND = "org.freedesktop.impl.portal.Background"
MODEMS = "org.freedesktop.ModemManager1"
MODEMS_PATH = "/org/freedesktop/ModemManager1"
SYSTEMD = "org.freedesktop.systemd1"
SYSTEMD_PATH = "/org/freedesktop/systemd1"
NETWORK = "org.freedesktop.NetworkManager"
WIRELESS = "/org/freedesktop/NetworkManager/Devices/wlan0"
SUPPLICANT = "fi.w1.wpa_supplicant1"
SUPPLICANT_PATH = "/fi/w1/wpa_supplicant1"
MOCK = "org.freedesktop.DBus.Mock"


class Machine:
    def __init__(self):
        self.mocks = {}
        self.start([])
        self.forger = forgeries.Forger(self.address)
        self.beacons = {}
        self.strength = 0
        self.loss = 0

    def start(self, options):
        here = os.path.dirname(os.path.abspath(__file__))
        self.daemon = subprocess.Popen(
            ["dbus-daemon", "--config-file=" + here + "/bus.conf", "--nofork", "--print-address=1",
             *options], stdout=subprocess.PIPE, text=True)
        self.address = self.daemon.stdout.readline().strip()
        self.bus = dbus.bus.BusConnection(self.address)

    def spawn(self, name, arguments):
        environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=self.address,
                           DBUS_SESSION_BUS_ADDRESS=self.address)
        self.mocks[name] = subprocess.Popen(
            [sys.executable, "-m", "dbusmock", *arguments],
            env=environment, stdout=subprocess.DEVNULL)
        self.until(lambda: self.bus.name_has_owner(name))

    def stop(self, name):
        # Killed, because a child of the tests inherits a mask that holds back SIGTERM.
        mock = self.mocks.pop(name)
        mock.kill()
        mock.wait()
        self.until(lambda: not self.bus.name_has_owner(name))

    def until(self, condition):
        """Waits at most twenty seconds, so that a test that fails does not hang."""
        end = time.monotonic() + 20
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError
            self.advertise()
            select.select([], [], [], 0.02)

    def mock(self, path, name="org.bluez", interface=MOCK):
        return dbus.Interface(self.bus.get_object(name, path, introspect=False), interface)

    def adapter(self, name):
        properties = self.mock(ADAPTER, interface=dbus.PROPERTIES_IFACE)
        return properties.Get("org.bluez.Adapter1", name)

    def advertise(self):
        """One advertisement of each beacon, if the adapter listens."""
        if "org.bluez" not in self.mocks or not self.beacons:
            return
        try:
            if not self.adapter("Discovering"):
                return
            self.strength = (self.strength + 1) % 4
            for address, payload in self.beacons.items():
                self.update(address, payload)
        except dbus.DBusException:
            pass

    def update(self, address, payload):
        path = ADAPTER + "/dev_" + address.replace(":", "_")
        data = {dbus.UInt16(0x004C): dbus.Array(payload, signature="y", variant_level=1)}
        self.mock(path).UpdateProperties("org.bluez.Device1", {
            # Each differs from the one before, and the median of any of them in a row is the same.
            "RSSI": dbus.Int16(-61 - self.loss - (0, 1, 2, 1)[self.strength], variant_level=1),
            "ManufacturerData": dbus.Dictionary(data, signature="qv", variant_level=1)})

    def found(self, address):
        """Has bluetoothd find the monitor object on whichever connection has it, read it, and call it."""
        device = ADAPTER + "/dev_" + address.replace(":", "_")
        self.update(address, self.beacons[address])
        return self.visit("found", device) or "no monitor"

    def menu(self):
        """The labels of the item's menu, as the watcher reads it."""
        return self.visit("menu", service=WATCHER, path=WATCHER_PATH)

    def visit(self, function, *words, service="org.bluez", path="/"):
        """Has bluetoothd, or another service, call each program in turn, until one has what is looked for."""
        here = os.path.dirname(os.path.abspath(__file__))
        code = (f"import sys; sys.path.insert(0, {here!r}); import visits; "
                f"ret = visits.{function}(self.connection, *args)")
        self.mock(path, service).AddMethod("org.bluez.Visit", function, "s" * (1 + len(words)), "s", code)
        for name in self.programs():
            try:
                said = self.mock(path, service, "org.bluez.Visit").get_dbus_method(function)(
                    name, *words)
            except dbus.DBusException:
                # One that has gone meanwhile has nothing that is looked for.
                if name in self.bus.list_names():
                    raise
                continue
            if said:
                return str(said)
        return ""

    def programs(self):
        """The unique names of the connections that are neither ours nor a mock's."""
        own = {self.bus.get_unique_name(), self.forger.name}
        own |= {self.bus.get_name_owner(name) for name in self.mocks}
        return [str(name) for name in self.bus.list_names()
                if name.startswith(":") and name not in own]

    def forge(self, words):
        """Tries something on every program, in the name of another one."""
        said = []
        for name in self.programs():
            said.append(self.forge_at(name, words))
        self.forger.settle()
        return " ".join(filter(None, said)) or "ok"

    def forge_at(self, name, words):
        match words:
            case ["beacon", address, payload]:
                self.forger.beacon(name, ADAPTER + "/dev_" + address.replace(":", "_"), payload)
            case ["owner", service]:
                owner = self.bus.get_name_owner(service)
                self.forger.owner(name, service, owner, self.forger.name)
            case ["loss", service]:
                self.forger.owner(name, service, self.bus.get_name_owner(service), "")
            case ["claim", service]:
                self.forger.owner(name, service, "", self.forger.name)
            case ["modem"]:
                self.forger.modem(name)
            case ["unplug", number]:
                self.forger.unplug(name, number)
            case ["press", number, key]:
                self.forger.signal(name, NOTIFICATIONS_PATH, NOTIFICATIONS, "ActionInvoked", "us",
                                   dbus.UInt32(int(number)), key)
            case ["dismiss", number]:
                self.forger.signal(name, NOTIFICATIONS_PATH, NOTIFICATIONS, "NotificationClosed",
                                   "uu", dbus.UInt32(int(number)), dbus.UInt32(2))
            case ["heading", degrees, count]:
                for _ in range(int(count)):
                    self.forger.heading(name, COMPASS_PATH, COMPASS, float(degrees))
            case ["click", number]:
                return self.forger.call(
                    name, "/MenuBar", MENU, "Event", dbus.Int32(int(number)), "clicked",
                    dbus.Int32(0, variant_level=1), dbus.UInt32(0))
            case ["menu"]:
                return self.forger.call(
                    name, "/MenuBar", MENU, "GetLayout", dbus.Int32(0), dbus.Int32(-1),
                    dbus.Array([], signature="s"))
            case ["item"]:
                return self.forger.call(
                    name, "/StatusNotifierItem", dbus.PROPERTIES_IFACE, "GetAll",
                    "org.kde.StatusNotifierItem")
            case ["release"]:
                return self.forger.call(name, MONITOR_PATH, MONITOR, "Release")
            case ["found"]:
                return self.forger.call(
                    name, MONITOR_PATH, MONITOR, "DeviceFound", dbus.ObjectPath("/forged"))
            case ["read"]:
                return self.forger.call(
                    name, "/org/meridian/monitors", "org.freedesktop.DBus.ObjectManager",
                    "GetManagedObjects")
        return ""

    def forge_replies(self, count, what="replies"):
        """From now on, whoever asks what there is hears forged answers first."""
        here = os.path.dirname(os.path.abspath(__file__))
        code = (f"import sys; sys.path.insert(0, {here!r}); import dbus, forgeries\n"
                f"forger = forgeries.Forger({self.address!r})\n"
                f"others = {{{str(self.bus.get_unique_name())!r}, {str(self.forger.name)!r}}}\n"
                "others |= {forger.name, self.connection.get_unique_name()}\n"
                f"forger.{what}(set(forger.bus.list_names()) - others, {count})\n")
        if what == "devices":
            return self.mock("/org/freedesktop/NetworkManager", NETWORK).AddMethod(
                NETWORK, "GetDevices", "", "ao", code + f"ret = [dbus.ObjectPath({WIRELESS!r})]")
        code = (code + "ret = {dbus.ObjectPath(k): objects[k].props for k in objects.keys() if k != '/'}")
        self.mock("/").AddMethod(
            "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "", "a{oa{sa{sv}}}", code)

    def announce(self, interface):
        """Tells of an interface of the adapter that dbusmock adds in silence."""
        whole = self.mock(ADAPTER, interface=dbus.PROPERTIES_IFACE).GetAll(interface)
        added = dbus.Dictionary({interface: whole}, signature="sa{sv}")
        self.mock("/").EmitSignal(
            "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", "oa{sa{sv}}",
            dbus.Array([dbus.ObjectPath(ADAPTER), added], signature="v"))

    def advertised(self):
        """What the connection that registered an advertisement offers at its path."""
        return self.visit("advertised") or "nothing"

    def instances(self):
        properties = self.mock(ADAPTER, interface=dbus.PROPERTIES_IFACE)
        return properties.Get("org.bluez.LEAdvertisingManager1", "ActiveInstances")

    def count(self, member):
        calls = self.mock(COMPASS_PATH, "net.hadess.SensorProxy").GetMethodCalls(member)
        return len(calls)

    def desktop(self, interface=MOCK):
        return self.mock(NOTIFICATIONS_PATH, NOTIFICATIONS, interface)

    def notification(self, number):
        """What was shown, as the person sees it; an end of a line is ` / `."""
        self.until(lambda: len(self.desktop().GetMethodCalls("Notify")) >= number)
        shown = self.desktop().GetMethodCalls("Notify")[number - 1][1]
        return " | ".join([shown[3], shown[4], *shown[5][::2]]).replace("\n", " / ")

    def restart(self):
        """A bus that goes away, with all services, and comes back."""
        for mock in self.mocks.values():
            mock.kill()
            mock.wait()
        self.mocks = {}
        self.daemon.kill()
        self.daemon.wait()
        path = self.address.partition("path=")[2].partition(",")[0]
        if os.path.exists(path):
            os.remove(path)
        self.start(["--address=unix:path=" + path])

    def add_session(self, user):
        """A session as logind announces it, which dbusmock adds in silence."""
        manager = self.mock("/org/freedesktop/login1", LOGIND)
        path = manager.AddSession("c1", "seat0", dbus.UInt32(user), "jane", True)
        manager.EmitSignal(
            LOGIND + ".Manager", "SessionNew", "so",
            dbus.Array(["c1", dbus.ObjectPath(path)], signature="v"))
    def start_units(self, errors):
        manager = SYSTEMD + ".Manager"
        self.spawn(SYSTEMD, ["--session", SYSTEMD, SYSTEMD_PATH, manager])
        code = "".join(f"raise dbus.exceptions.DBusException(name={error!r})" for error in errors)
        for member in ["FreezeUnit", "ThawUnit"]:
            self.mock(SYSTEMD_PATH, SYSTEMD).AddMethod(manager, member, "s", "", code)

    def unit_calls(self):
        calls = self.mock(SYSTEMD_PATH, SYSTEMD).GetCalls()
        return " ".join(f"{member} {args[0]}" for _, member, args in calls) or "none"

    def scans(self):
        return self.mock(WIRELESS, NETWORK).GetMethodCalls("RequestScan")

    def start_supplicant(self):
        self.spawn(SUPPLICANT, ["--system", SUPPLICANT, SUPPLICANT_PATH, SUPPLICANT])
        mock = self.mock(SUPPLICANT_PATH, SUPPLICANT)
        path = SUPPLICANT_PATH + "/Interfaces/0"
        mock.AddMethod(SUPPLICANT, "GetInterface", "s", "o", f"ret = dbus.ObjectPath({path!r})")
        mock.AddObject(path, SUPPLICANT + ".Interface", dbus.Dictionary({}, signature="sv"),
                       dbus.Array([("Scan", "a{sv}", "", "")], signature="(ssss)"))

    def passive_scans(self):
        try:
            return self.mock(SUPPLICANT_PATH + "/Interfaces/0", SUPPLICANT).GetMethodCalls("Scan")
        except dbus.DBusException:
            return []

    def obey(self, words):
        match words:
            case ["bluetoothd", "start"]:
                self.spawn("org.bluez", ["--system", "--template", "bluez5"])
            case ["bluetoothd", "stop"]:
                self.stop("org.bluez")
            case ["adapter"]:
                self.mock("/", interface="org.bluez.Mock").AddAdapter("hci0", "test")
                self.announce("org.bluez.LEAdvertisingManager1")
            case ["power", state]:
                self.mock(ADAPTER).UpdateProperties(
                    "org.bluez.Adapter1", {"Powered": dbus.Boolean(state == "on", variant_level=1)})
            case ["remove"]:
                self.mock("/", interface="org.bluez.Mock").RemoveAdapter("hci0")
            case ["beacon", address, payload]:
                self.mock("/", interface="org.bluez.Mock").AddDevice("hci0", address, "beacon")
                self.beacons[address] = bytes.fromhex(payload)
            case ["silence", address]:
                del self.beacons[address]
            case ["weaken", loss]:
                self.loss = int(loss)
            case ["forge", "devices", count]:
                self.forge_replies(int(count), "devices")
            case ["forge", "replies", count]:
                self.forge_replies(int(count))
            case ["forge", *what]:
                return self.forge(what)
            case ["found", address]:
                return self.found(address)
            case ["await", "found", address]:
                self.until(lambda: self.found(address) != "no monitor"
                           or self.adapter("Discovering"))
            case ["advertised"]:
                return self.advertised()
            case ["await", "advertisement"]:
                self.until(lambda: self.instances() == 1)
            case ["await", "silence"]:
                self.until(lambda: self.instances() == 0)
            case ["await", "discovering"]:
                self.until(lambda: self.adapter("Discovering"))
            case ["await", "idle"]:
                self.until(lambda: not self.adapter("Discovering"))
            case ["await", "monitor"]:
                self.until(lambda: len(self.mock(ADAPTER).GetMethodCalls("RegisterMonitor")) > 0)
            case ["compass", "start"]:
                self.spawn("net.hadess.SensorProxy",
                           ["--system", "net.hadess.SensorProxy", COMPASS_PATH, COMPASS])
                mock = self.mock(COMPASS_PATH, "net.hadess.SensorProxy")
                mock.AddProperties(COMPASS, {
                    "HasCompass": dbus.Boolean(True, variant_level=1),
                    "CompassHeading": dbus.Double(90.0, variant_level=1)})
                mock.AddMethod(COMPASS, "ClaimCompass", "", "", "")
                mock.AddMethod(COMPASS, "ReleaseCompass", "", "", "")
            case ["compass", "stop"]:
                self.stop("net.hadess.SensorProxy")
            case ["heading", degrees]:
                self.mock(COMPASS_PATH, "net.hadess.SensorProxy").UpdateProperties(
                    COMPASS, {"CompassHeading": dbus.Double(float(degrees), variant_level=1)})
            case ["await", "claim"]:
                self.until(lambda: self.count("ClaimCompass") > self.count("ReleaseCompass"))
            case ["await", "release"]:
                self.until(lambda: self.count("ReleaseCompass") == self.count("ClaimCompass"))
            case ["bus", "restart"]:
                self.restart()
            case ["logind", "start"]:
                self.spawn(LOGIND, ["--system", "--template", "logind"])
            case ["session", user]:
                self.add_session(int(user))
            case ["session", name, state]:
                self.mock("/org/freedesktop/login1/session/c1", LOGIND).UpdateProperties(
                    LOGIND + ".Session", {name: dbus.Boolean(state == "yes", variant_level=1)})
            case ["screensaver", "start"]:
                self.spawn(SCREENSAVER, ["--session", "--template", "gnome_screensaver"])
            case ["screensaver", state]:
                self.mock("/org/gnome/ScreenSaver", SCREENSAVER, SCREENSAVER).SetActive(
                    state == "on")
            case ["watcher", "start"]:
                self.spawn(WATCHER, ["--session", WATCHER, WATCHER_PATH, WATCHER])
                self.mock(WATCHER_PATH, WATCHER).AddMethod(
                    WATCHER, "RegisterStatusNotifierItem", "s", "", "")
            case ["watcher", "stop"]:
                self.stop(WATCHER)
            case ["await", "item", number]:
                self.until(lambda: len(self.mock(WATCHER_PATH, WATCHER).GetMethodCalls(
                    "RegisterStatusNotifierItem")) >= int(number))
            case ["menu"]:
                return self.menu() or "nothing"
            case ["await", "no", "menu"]:
                self.until(lambda: not self.menu())
            case ["await", "menu", *label]:
                self.until(lambda: " ".join(label) in self.menu().split(" | "))
            case ["click", *label]:
                return self.visit("click", " ".join(label), service=WATCHER, path=WATCHER_PATH)
            case ["network", "start"]:
                self.spawn(NETWORK, ["--system", "--template", "networkmanager"])
            case ["network", "adapter", state]:
                self.mock("/org/freedesktop/NetworkManager", NETWORK).AddWiFiDevice(
                    "wlan0", "wlan0", int(state))
            case ["network", "refuse", error]:
                self.mock(WIRELESS, NETWORK).AddMethod(
                    NETWORK + ".Device.Wireless", "RequestScan", "a{sv}", "",
                    f"raise dbus.exceptions.DBusException(name={error!r})")
            case ["await", "scans", number]:
                self.until(lambda: len(self.scans()) >= int(number))
                return f"options: {dict(self.scans()[int(number) - 1][1][0]) or 'none'}"
            case ["supplicant", "start"]:
                self.start_supplicant()
            case ["await", "passive", "scan"]:
                self.until(lambda: len(self.passive_scans()) > 0)
                return str(self.passive_scans()[0][1][0]["Type"])
            case ["notifications", "start", *capabilities]:
                self.spawn(NOTIFICATIONS, [
                    "--session", "--template", "notification_daemon", "--parameters",
                    json.dumps({"capabilities": " ".join(capabilities)})])
            case ["notifications", "stop"]:
                self.stop(NOTIFICATIONS)
            case ["units", "start", *errors]:
                self.start_units(errors)
            case ["units", "calls"]:
                return self.unit_calls()
            case ["await", "notification", number]:
                return self.notification(int(number))
            case ["press", number, key]:
                self.desktop().EmitSignal(
                    NOTIFICATIONS, "ActionInvoked", "us",
                    dbus.Array([dbus.UInt32(int(number)), key], signature="v"))
            case ["dismiss", number]:
                self.desktop().EmitSignal(
                    NOTIFICATIONS, "NotificationClosed", "uu",
                    [dbus.UInt32(int(number)), dbus.UInt32(2)])
            case ["await", "closed", number]:
                self.until(lambda: any(
                    int(call[1][0]) == int(number)
                    for call in self.desktop().GetMethodCalls("CloseNotification")))
            case ["bus", "stop"]:
                self.daemon.kill()
                self.daemon.wait()
            case ["shell", "start"]:
                self.spawn(SHELL, ["--session", SHELL, SHELL_PATH, INTROSPECT])
                self.show_windows([])
            case ["shell", "deny"]:
                self.mock(SHELL_PATH, SHELL).AddMethod(
                    INTROSPECT, "GetWindows", "", "a{ta{sv}}",
                    "raise dbus.exceptions.DBusException('no', "
                    "name='org.freedesktop.DBus.Error.AccessDenied')")
            case ["shell", "stop"]:
                self.stop(SHELL)
            case ["windows", *apps]:
                self.show_windows(apps)
                self.mock(SHELL_PATH, SHELL).EmitSignal(
                    INTROSPECT, "RunningApplicationsChanged", "", dbus.Array([], signature="v"))
            case ["modems", "start"]:
                self.spawn(MODEMS, ["--system", "-m", MODEMS, MODEMS_PATH, MODEMS + ".Any"])
            case ["modems", "stop"]:
                self.stop(MODEMS)
            case ["modem", number, *values]:
                self.add_modem(number, dict(value.split("=") for value in values))
            case ["unplug", number]:
                self.unplug(MODEMS_PATH + "/Modem/" + number)
            case ["enabled", number]:
                return str(self.enabled(number))
            case ["await", "enabled", number, bits]:
                self.until(lambda: self.enabled(number) == int(bits))
            case ["await", "given", number]:
                self.until(lambda: self.given(number))
                return " ".join(str(size) for size in self.given(number))
            case ["portal", "start"]:
                self.spawn(PORTAL, ["--session", PORTAL, PORTAL_PATH, BACKGROUND])
                self.show_apps([])
            case ["portal", "stop"]:
                self.stop(PORTAL)
            case ["apps", *apps]:
                self.show_apps(apps)
                self.mock(PORTAL_PATH, PORTAL).EmitSignal(
                    BACKGROUND, "RunningApplicationsChanged", "", dbus.Array([], signature="v"))
            case _:
                return "unknown command"
        return "ok"

    def enabled(self, number):
        path = MODEMS_PATH + "/Modem/" + number
        properties = self.mock(path, MODEMS, dbus.PROPERTIES_IFACE)
        return int(properties.Get(MODEMS + ".Modem.Location", "Enabled"))

    def given(self, number):
        """The sizes of the assistance data that a modem was given, in order."""
        mock = self.mock(MODEMS_PATH + "/Modem/" + number, MODEMS)
        return [len(call[1][0]) for call in mock.GetMethodCalls("InjectAssistanceData")]

    def unplug(self, path):
        """A modem that is pulled out, as ModemManager announces it: with all of its interfaces."""
        manager = self.mock(MODEMS_PATH, MODEMS)
        manager.RemoveObject(path)
        interfaces = dbus.Array([MODEMS + ".Modem", MODEMS + ".Modem.Location"], signature="s")
        manager.EmitSignal(
            "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", "oas",
            dbus.Array([dbus.ObjectPath(path), interfaces], signature="v"))

    def add_modem(self, number, values):
        """A modem with one serving cell and, if it can, a receiver with a position."""
        path, modem = MODEMS_PATH + "/Modem/" + number, MODEMS + ".Modem"
        value = lambda key, other: int(values.get(key, other))
        manager = self.mock(MODEMS_PATH, MODEMS)
        manager.AddObject(path, modem, dbus.Dictionary({
            "State": dbus.Int32(value("State", 8)),
            "StateFailedReason": dbus.UInt32(value("StateFailedReason", 0)),
            "UnlockRequired": dbus.UInt32(value("UnlockRequired", 1)),
            "AccessTechnologies": dbus.UInt32(1 << 14),
        }, signature="sv"), dbus.Array([], signature="(ssss)"))
        mock = self.mock(path, MODEMS)
        location = modem + ".Location"
        mock.AddProperties(location, dbus.Dictionary({
            "Capabilities": dbus.UInt32(value("Capabilities", 5)),
            "Enabled": dbus.UInt32(value("Enabled", 0)),
            "SupportedAssistanceData": dbus.UInt32(value("SupportedAssistanceData", 0)),
        }, signature="sv"))
        refusal = ("raise dbus.exceptions.DBusException('no', "
                   "name='org.freedesktop.ModemManager1.Error.Core.Unauthorized')")
        setup = f"self.UpdateProperties({location!r}, {{'Enabled': args[0]}})"
        here = os.path.dirname(os.path.abspath(__file__))
        get = (f"import sys; sys.path.insert(0, {here!r}); import modems\n"
               f"ret = modems.location(int(self.props[{location!r}]['Enabled']))")
        if "refused" in values:
            setup = get = refusal
        cells = ("ret = dbus.Array([dbus.Dictionary({'cell-type': dbus.UInt32(5), "
                 "'serving': dbus.Boolean(True), 'operator-id': '26202', 'tac': 'C1D', "
                 "'ci': '1A2B301', 'rsrp': -88.0}, signature='sv')], signature='a{sv}')")
        mock.AddMethods(location, dbus.Array([
            ("Setup", "ub", "", setup), ("GetLocation", "", "a{uv}", get),
            ("InjectAssistanceData", "ay", "", "")], signature="(ssss)"))
        mock.AddMethod(modem, "GetCellInfo", "", "aa{sv}", cells)
        whole = dbus.Dictionary({
            interface: self.mock(path, MODEMS, dbus.PROPERTIES_IFACE).GetAll(interface)
            for interface in [modem, location]}, signature="sa{sv}")
        manager.EmitSignal(
            "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", "oa{sa{sv}}",
            dbus.Array([dbus.ObjectPath(path), whole], signature="v"))

    def show_windows(self, apps):
        windows = ", ".join(
            f"dbus.UInt64({number}): {{'app-id': {name.lstrip('+') + '.desktop'!r}, "
            f"'has-focus': dbus.Boolean({name.startswith('+')})}}"
            for number, name in enumerate(apps, 1))
        self.mock(SHELL_PATH, SHELL).AddMethod(
            INTROSPECT, "GetWindows", "", "a{ta{sv}}",
            f"ret = dbus.Dictionary({{{windows}}}, signature='ta{{sv}}')")

    def show_apps(self, apps):
        states = ", ".join(
            f"{name!r}: dbus.UInt32({state})"
            for name, _, state in (app.partition("=") for app in apps))
        self.mock(PORTAL_PATH, PORTAL).AddMethod(
            BACKGROUND, "GetAppState", "", "a{sv}",
            f"ret = dbus.Dictionary({{{states}}}, signature='sv')")

    def end(self):
        for mock in self.mocks.values():
            mock.kill()
        self.daemon.kill()


sys.stdout.reconfigure(encoding="utf-8")
# Not buffered: a line that is read early would be obeyed only when the next one comes.
commands = open(0, "rb", buffering=0)
machine = Machine()
try:
    print(machine.address, flush=True)
    while True:
        ready, _, _ = select.select([commands], [], [], 0.1)
        if not ready:
            machine.advertise()
            continue
        line = commands.readline().decode()
        if not line:
            break
        try:
            answer = machine.obey(line.split())
        except TimeoutError:
            answer = "did not happen"
        print(answer, flush=True)
finally:
    machine.end()
