"""A medium for mac80211_hwsim: delivers every frame with the level that a file says.

    medium.py RADIOS FILE

FILE has a line `BSSID dBm` for each address; below -95 dBm nobody hears it, and an address that is not
in it arrives at -50. It is read again twice a second.
"""

import errno
import os
import socket
import struct
import sys
import time

GENERIC = 16
REGISTER, FRAME, TX_INFO_FRAME = 1, 2, 3
RECEIVER, TRANSMITTER, CONTENT, FLAGS, RATE, SIGNAL, TX_INFO, COOKIE, FREQUENCY = 1, 2, 3, 4, 5, 6, 7, 8, 19
ACKNOWLEDGED = 4
FAINTEST = -95


def attribute(kind, value):
    length = 4 + len(value)
    return struct.pack("=HH", length, kind) + value + b"\0" * (-length % 4)


def attributes(data):
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack("=HH", data[:4])
        if length < 4:
            break
        found[kind & 0x3FFF] = data[4:length]
        data = data[(length + 3) & ~3:]
    return found


class Medium:
    def __init__(self, radios, file):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, GENERIC)
        self.socket.bind((0, 0))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.number = 0
        # The second permanent address of each radio.
        self.radios = [bytes([0x42, 0, 0, 0, index, 0]) for index in range(radios)]
        self.file = file
        self.levels, self.read_at = {}, 0
        self.send(16, 3, [attribute(2, b"MAC80211_HWSIM\0")])
        answer = attributes(self.socket.recv(65536)[20:])
        self.family = struct.unpack("=H", answer[1])[0]
        self.send(self.family, REGISTER, [], 1 | 4)
        error = struct.unpack("=i", self.socket.recv(65536)[16:20])[0]
        if error:
            sys.exit(f"registered: {os.strerror(-error)}")

    def send(self, family, command, values, flags=1):
        self.number += 1
        body = struct.pack("=BBH", command, 1, 0) + b"".join(values)
        head = struct.pack("=IHHII", 16 + len(body), family, flags, self.number, 0)
        self.socket.send(head + body)

    def level(self, address):
        if time.monotonic() - self.read_at > 0.5:
            self.read_at = time.monotonic()
            try:
                with open(self.file) as lines:
                    pairs = [line.split() for line in lines if line.strip()]
                self.levels = {bytes.fromhex(a.replace(":", "")): int(d) for a, d in pairs}
            except (OSError, ValueError):
                pass
        return self.levels.get(address, -50)

    def deliver(self, message):
        frame = attributes(message[20:])
        content = frame[CONTENT]
        signal = self.level(content[10:16])
        value = attribute(SIGNAL, struct.pack("=i", signal))
        channel = [attribute(FREQUENCY, frame[FREQUENCY])] if FREQUENCY in frame else []
        for radio in self.radios:
            if radio != frame[TRANSMITTER] and signal > FAINTEST:
                self.send(self.family, FRAME, [
                    attribute(RECEIVER, radio), attribute(CONTENT, content),
                    attribute(RATE, struct.pack("=I", 0)), value, *channel])
        flags = struct.unpack("=I", frame[FLAGS])[0] | ACKNOWLEDGED
        self.send(self.family, TX_INFO_FRAME, [
            attribute(TRANSMITTER, frame[TRANSMITTER]), attribute(FLAGS, struct.pack("=I", flags)),
            attribute(COOKIE, frame[COOKIE]), attribute(TX_INFO, frame[TX_INFO]), value])

    def run(self):
        while True:
            try:
                message = self.socket.recv(65536)
            except OSError as error:
                # Frames were lost while this computer was busy, as they are in the air.
                if error.errno != errno.ENOBUFS:
                    raise
                continue
            # The kernel refuses frames for radios on other channels.
            if struct.unpack("=H", message[4:6])[0] == self.family and message[16] == FRAME:
                self.deliver(message)


if __name__ == "__main__":
    medium = Medium(int(sys.argv[1]), sys.argv[2])
    print("registered", flush=True)
    medium.run()
