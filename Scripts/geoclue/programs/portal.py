"""An app that asks the portal of the desktop (org.freedesktop.portal.Location) for its place."""
import dbus
import dbus.mainloop.glib
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
desktop = bus.get_object("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
portal = dbus.Interface(desktop, "org.freedesktop.portal.Location")
loop = GLib.MainLoop()


def show(session, location):
    print(f"position {location['Latitude']:.4f} {location['Longitude']:.4f} "
          f"within {location['Accuracy']:.1f} m", flush=True)
    loop.quit()


def answer(code, results):
    print("response", code, flush=True)
    if code != 0:
        loop.quit()


bus.add_signal_receiver(show, "LocationUpdated", "org.freedesktop.portal.Location")
bus.add_signal_receiver(answer, "Response", "org.freedesktop.portal.Request")
session = portal.CreateSession(
    dbus.Dictionary({"session_handle_token": "one", "accuracy": dbus.UInt32(5)}, signature="sv"))
portal.Start(session, "", dbus.Dictionary({"handle_token": "two"}, signature="sv"))
loop.run()
