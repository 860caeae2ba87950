"""The other end of the network of machine.py: all addresses that there are, and a location service.

Prints `here`, takes the interface `wire` when a line comes, and prints `ready`. At the end of the input it
prints what has arrived: `asked PATH` for each request to the service, `sent COUNT WHERE` for the frames.
"""

import collections
import http.server
import json
import socket
import ssl
import subprocess
import sys
import threading

MACHINE = "02:00:00:00:00:02"
WORLD = "02:00:00:00:00:01"
ETH_P_ALL = 3
OUTGOING = 4


def serve(host, port, asked, certificate=None):
    """A location service that places everything, and notes the paths that are asked for."""
    class Service(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(self.path)
            answer = json.dumps({"location": {"lat": 48.2, "lng": 11.6}, "accuracy": 48}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    service = http.server.ThreadingHTTPServer((host, port), Service)
    service.daemon_threads = True
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate + ".pem", certificate + ".key")
        service.socket = context.wrap_socket(service.socket, server_side=True)
    threading.Thread(target=service.serve_forever, daemon=True).start()


def where(frame):
    """To whom a frame goes: the port, the address, or else its kind."""
    kind = int.from_bytes(frame[12:14], "big")
    if kind != 0x0800:
        return f"0x{kind:04x}"
    packet = frame[14:]
    address = ".".join(map(str, packet[16:20]))
    if packet[9] not in (6, 17):
        return f"{address} {packet[9]}"
    start = (packet[0] & 15) * 4
    port = int.from_bytes(packet[start + 2:start + 4], "big")
    return f"{'tcp' if packet[9] == 6 else 'udp'} {address}:{port}"


def arrived(wire):
    wire.setblocking(False)
    frames = collections.Counter()
    while True:
        try:
            frame, source = wire.recvfrom(65536)
        except BlockingIOError:
            return frames
        if source[2] != OUTGOING:
            frames[where(frame)] += 1


def main(folder):
    print("here", flush=True)
    sys.stdin.readline()
    for line in ("link set lo up", "link set wire addrgenmode none",
                 "address add 198.51.100.1/24 dev wire", "address add 192.0.2.1/32 dev wire",
                 "link set wire up", f"neigh add 198.51.100.2 lladdr {MACHINE} dev wire nud permanent"):
        if subprocess.run(["ip"] + line.split(), stderr=subprocess.DEVNULL).returncode:
            return print(line, flush=True)
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    wire.bind(("wire", 0))
    asked = []
    serve("192.0.2.1", 443, asked, folder + "/server")
    print("ready", flush=True)
    sys.stdin.read()
    for path in asked:
        print("asked", path)
    for place, count in sorted(arrived(wire).items()):
        print("sent", count, place)


if __name__ == "__main__":
    main(sys.argv[1])
