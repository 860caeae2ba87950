"""What the modem of the mock knows, by what is set up."""

import time

import dbus


def sentence(text):
    total = 0
    for byte in text.encode():
        total ^= byte
    return f"${text}*{total:02X}\r\n"


def location(bits):
    """The serving cell, and a position of this second."""
    now, day = time.strftime("%H%M%S.00 %d%m%y", time.gmtime()).split()
    text = sentence(f"GPRMC,{now},A,5230.000,N,01324.000,E,0.1,0.0,{day},,,A")
    text += sentence(f"GPGGA,{now},5230.000,N,01324.000,E,1,09,0.9,40.0,M,44.0,M,,")
    known = {1: "262,02,0,1A2B301,C1D", 4: text}
    return dbus.Dictionary(
        {dbus.UInt32(bit): value for bit, value in known.items() if bits & bit}, signature="uv")
