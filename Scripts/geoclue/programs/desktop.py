"""What a desktop has on the bus of its session: notifications, which nobody answers, and the dialog
of the portal for access, which says what
is in the file ANSWER, yes or no. Prints each dialog."""
import os
import pathlib

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()


class Notifications(dbus.service.Object):
    name = "org.freedesktop.Notifications"

    @dbus.service.method(name, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, replaces, icon, summary, body, actions, hints, timeout):
        print("notification:", body, flush=True)
        return 1

    @dbus.service.method(name, in_signature="", out_signature="as")
    def GetCapabilities(self):
        return ["actions", "body"]

    @dbus.service.method(name, in_signature="", out_signature="ssss")
    def GetServerInformation(self):
        return "desktop", "example", "1", "1.2"

    @dbus.service.method(name, in_signature="u", out_signature="")
    def CloseNotification(self, number):
        return


class Access(dbus.service.Object):
    @dbus.service.method("org.freedesktop.impl.portal.Access", in_signature="osssssa{sv}",
                         out_signature="ua{sv}")
    def AccessDialog(self, handle, app, parent, title, subtitle, body, options):
        print("dialog:", title, flush=True)
        yes = pathlib.Path(os.environ["ANSWER"]).read_text() == "yes"
        return dbus.UInt32(0 if yes else 1), dbus.Dictionary({}, signature="sv")


names = [dbus.service.BusName(name, bus) for name in
         (Notifications.name, "org.freedesktop.impl.portal.desktop.example")]
objects = [Notifications(bus, "/org/freedesktop/Notifications"),
           Access(bus, "/org/freedesktop/portal/desktop")]
print("ready", flush=True)
GLib.MainLoop().run()
