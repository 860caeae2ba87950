"""Firefox without a window, driven by its own protocol (Marionette): prints what a page of this computer gets from
navigator.geolocation. Arguments: Firefox, a folder for its profile."""
import http.server
import json
import pathlib
import socket
import subprocess
import sys
import threading

firefox, profile = sys.argv[1], pathlib.Path(sys.argv[2])
profile.mkdir(parents=True, exist_ok=True)
preferences = {
    "geo.prompt.testing": True, "geo.prompt.testing.allow": True,
    "geo.provider.use_geoclue": True, "geo.provider.network.url": "",
    # For tests Firefox sets it, unless it is set, and asks no service of the system then.
    "geo.provider.testing": False, "marionette.port": 2828,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False,
}
(profile / "user.js").write_text("".join(
    f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>where</title>")

    def log_message(self, *arguments):
        return


server = http.server.HTTPServer(("127.0.0.1", 0), Page)
threading.Thread(target=server.serve_forever, daemon=True).start()
process = subprocess.Popen(
    [firefox, "--headless", "--no-remote", "--profile", str(profile), "--marionette"],
    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
# It says so when its port listens.
for line in process.stdout:
    if "Listening on port" in line:
        break
threading.Thread(target=process.stdout.read, daemon=True).start()
connection = socket.create_connection(("127.0.0.1", 2828), timeout=60)
stream = connection.makefile("rb")


def receive():
    length = b""
    while (byte := stream.read(1)) not in (b":", b""):
        length += byte
    return json.loads(stream.read(int(length)))


def call(number, name, **parameters):
    body = json.dumps([0, number, name, parameters]).encode()
    connection.sendall(str(len(body)).encode() + b":" + body)
    _, _, error, result = receive()
    if error:
        raise SystemExit(f"{name}: {error['message']}")
    return result


receive()
version = call(1, "WebDriver:NewSession", capabilities={})["capabilities"]["browserVersion"]
print("Firefox", version, flush=True)
call(2, "WebDriver:SetTimeouts", script=60000)
call(3, "WebDriver:Navigate", url=f"http://127.0.0.1:{server.server_port}/")
place = call(4, "WebDriver:ExecuteAsyncScript", args=[], script="""
  const done = arguments[arguments.length - 1];
  navigator.geolocation.watchPosition(
    position => done(["position", position.coords.latitude.toFixed(4), position.coords.longitude.toFixed(4),
      "within", position.coords.accuracy.toFixed(1), "m"].join(" ")),
    error => done("error " + error.code + " " + error.message),
    {enableHighAccuracy: true, timeout: 40000});""")["value"]
print(place, flush=True)
process.terminate()
process.wait()
