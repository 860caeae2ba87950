"""A receiver of NMEA at a serial port: a pseudo terminal with a link to it, on which only who has set the right
speed hears sentences, and others noise.

  receiver.py PATH BAUD"""
import datetime
import os
import sys
import termios
import time
import tty

SPEEDS = {4800: termios.B4800, 9600: termios.B9600}


def sentence(body):
    total = 0
    for byte in body.encode():
        total ^= byte
    return f"${body}*{total:02X}\r\n"


def epoch():
    now = datetime.datetime.now(datetime.timezone.utc)
    clock, date = now.strftime("%H%M%S.00"), now.strftime("%d%m%y")
    place = "4830.00000,N,01130.00000,E"
    return (sentence(f"GPRMC,{clock},A,{place},0.0,,{date},,,A")
            + sentence(f"GPGGA,{clock},{place},1,09,0.9,500.0,M,47.0,M,,")).encode()


path, baud = sys.argv[1], int(sys.argv[2])
ours, theirs = os.openpty()
tty.setraw(theirs)
os.chmod(os.ttyname(theirs), 0o666)
os.set_blocking(ours, False)
os.symlink(os.ttyname(theirs), path)
while True:
    # The speed is that of the port, which stays open here, whoever else opens and closes it.
    right = termios.tcgetattr(theirs)[5] == SPEEDS[baud]
    text = epoch()
    try:
        os.write(ours, text if right else bytes(byte | 0x80 for byte in text))
    except BlockingIOError:
        # Nobody reads.
        termios.tcflush(theirs, termios.TCIFLUSH)
    time.sleep(0.5)
