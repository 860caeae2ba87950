"""A location service after version 1 of Ichnaea's geolocate, on the loopback, and a radio beside it.

usage: service.py

Prints the port of the service and that of the radio, which sends a scan of three access points a second
to whoever connects. Checks each request as the service does, and prints it: `asked JSON AGENT`, or
`invalid REASON`. The key decides the answer.
"""

import http.server
import json
import re
import socket
import threading
import time

ADDRESS = re.compile(r"([0-9a-f]{2}:){5}[0-9a-f]{2}")
KNOWN = {
    "considerIp": bool, "fallbacks": dict, "wifiAccessPoints": list, "cellTowers": list,
}


def fault(body):
    """What the service would not accept, or None."""
    for name, value in body.items():
        if name not in KNOWN or not isinstance(value, KNOWN[name]):
            return f"member {name}"
    for point in body.get("wifiAccessPoints", []):
        unknown = set(point) - {"macAddress", "age", "frequency", "signalStrength"}
        if unknown:
            return f"member {unknown} of an access point"
        if not ADDRESS.fullmatch(point["macAddress"]):
            return "address"
        if not -100 <= point.get("signalStrength", -50) <= -10:
            return "level"
        if not 2400 <= point.get("frequency", 2400) <= 5999:
            return "frequency"
        if not 0 <= point.get("age", 0) <= 3_600_000:
            return "age"
    for tower in body.get("cellTowers", []):
        for name in ("mobileCountryCode", "mobileNetworkCode", "locationAreaCode", "cellId"):
            if not isinstance(tower.get(name), int):
                return name
        if tower.get("radioType") not in ("gsm", "wcdma", "lte"):
            return "radioType"
    if len(body.get("wifiAccessPoints", [])) < 2 and not body.get("cellTowers"):
        return "too few"
    return None


def error(code, reason):
    return code, json.dumps({"error": {"code": code, "errors": [{"reason": reason}]}}).encode()


class Service(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        key = self.path.partition("key=")[2]
        headers = {}
        try:
            body = json.loads(raw)
            reason = fault(body)
        except ValueError:
            reason = "no JSON"
        if self.headers["Content-Type"] != "application/json":
            reason = "content type"
        if self.path.partition("?")[0] != "/v1/geolocate":
            reason = "path"
        if reason:
            print("invalid", reason, flush=True)
            status, answer = error(400, "parseError")
        else:
            print("asked", raw.decode(), self.headers["User-Agent"], flush=True)
            place = {"location": {"lat": 48.137, "lng": 11.575}, "accuracy": 48}
            status, answer = 200, json.dumps(place).encode()
        if key == "unknown":
            status, answer = error(404, "notFound")
        elif key == "invalid":
            status, answer = error(400, "keyInvalid")
        elif key == "limit":
            status, answer = error(403, "dailyLimitExceeded")
        elif key == "busy":
            status, answer = error(503, "backendError")
            headers["Retry-After"] = "120"
        elif key == "elsewhere":
            status, answer, headers["Location"] = 307, b"", "http://127.0.0.2:1/v1/geolocate"
        elif key == "itself":
            status, answer = 307, b""
            headers["Location"] = f"http://127.0.0.1:{port}/v1/geolocate"
        elif key == "large":
            answer = b" " * 5_000_000
        elif key == "silent":
            threading.Event().wait()
        elif key == "torn":
            headers["Content-Length"] = str(len(answer) + 10)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        for name, value in ({"Content-Length": str(len(answer))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)
        self.close_connection = True

    def log_message(self, *_):
        pass


def send(connection):
    points = [
        {"macAddress": f"00:11:22:33:{0x44 + n:02x}:00", "signalStrength": -50 - n, "ssid": "home"}
        for n in range(3)
    ]
    line = json.dumps({"wifiAccessPoints": points}).encode() + b"\n"
    try:
        while True:
            connection.sendall(line)
            time.sleep(1)
    except OSError:
        connection.close()


def radio(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=send, args=(connection,), daemon=True).start()


service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
service.daemon_threads = True
port = service.server_port
listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=radio, args=(listener,), daemon=True).start()
print(port, listener.getsockname()[1], flush=True)
service.serve_forever()
