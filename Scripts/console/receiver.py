"""A receiver with a compass, as it speaks over TCP: an epoch of NMEA each second, at a place that can be moved."""
import math
import socket
import threading
import time

SKY = [(2, 65, 40, 44), (5, 48, 120, 41), (12, 30, 210, 38), (15, 22, 300, 33), (21, 12, 330, None), (25, 70, 180, 46)]
GALILEO = [(3, 55, 90, 42), (8, 18, 250, 29)]


def sentence(text):
    total = 0
    for letter in text:
        total ^= ord(letter)
    return f"${text}*{total:02X}\r\n"


def angle(degrees, digits, letters):
    whole, minutes = divmod(abs(degrees) * 60, 60)
    return f"{int(whole):0{digits}}{minutes:09.6f},{letters[0] if degrees >= 0 else letters[1]}"


def views(talker, satellites):
    pages = [satellites[at:at + 4] for at in range(0, len(satellites), 4)]
    return "".join(
        sentence(f"{talker}GSV,{len(pages)},{number + 1},{len(satellites):02}," + ",".join(
            f"{prn:02},{high:02},{turn:03},{'' if signal is None else signal}" for prn, high, turn, signal in page))
        for number, page in enumerate(pages))


class Receiver(threading.Thread):
    def __init__(self, place):
        super().__init__(daemon=True)
        self.place, self.east, self.heading = place, 0.0, 80.0
        self.pace = 0.0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"nmea+tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.ended = threading.Event()

    def run(self):
        clients = []
        self.listener.settimeout(0.01)
        while not self.ended.wait(1 - time.time() % 1):
            try:
                while True:
                    clients.append(self.listener.accept()[0])
            except (TimeoutError, OSError):
                pass
            self.east += self.pace
            epoch = self.epoch().encode()
            for client in list(clients):
                try:
                    client.sendall(epoch)
                except OSError:
                    clients.remove(client)

    def epoch(self, now=None):
        now = now or time.gmtime()
        clock, date = time.strftime("%H%M%S.00", now), time.strftime("%d%m%y", now)
        east = self.place[1] + self.east / 111195 / math.cos(math.radians(self.place[0]))
        at = f"{angle(self.place[0], 2, 'NS')},{angle(east, 3, 'EW')}"
        used = ",".join(f"{prn:02}" for prn, _, _, signal in SKY if signal)
        return (
            sentence(f"GNRMC,{clock},A,{at},{self.pace * 1.944:.1f},090.0,{date},,,A")
            + sentence(f"GNGGA,{clock},{at},1,07,0.9,545.4,M,46.9,M,,")
            + sentence(f"GNGSA,A,3,{used}{',' * (12 - used.count(',') - 1)},1.5,0.9,1.2,1")
            + sentence("GNGSA,A,3,03,08,,,,,,,,,,,1.5,0.9,1.2,3")
            + views("GP", SKY) + views("GA", GALILEO) + sentence(f"HCHDG,{self.heading:.1f},,,,"))

    def end(self):
        self.ended.set()
        self.join()
        self.listener.close()
