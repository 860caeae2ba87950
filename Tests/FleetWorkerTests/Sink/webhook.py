"""A webhook that checks signatures, prints what it confirms, and answers as a plan says.

usage: webhook.py SECRET_BASE64 PLAN [CERTIFICATE KEY]

PLAN is a list of words separated by commas, one for each request, and the last one for all further ones:
a status, `429:SECONDS` with Retry-After, `close` without an answer, `hang` without an answer until the other
side gives up, `hold` until SIGUSR1 and then 200, `long` for an answer without an end, or `redirect`.
"""
import base64, hashlib, hmac, json, signal, ssl, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

key = base64.b64decode(sys.argv[1])
plan = sys.argv[2].split(",")
lock = threading.Lock()
released = threading.Event()
signal.signal(signal.SIGUSR1, lambda *_: released.set())


def say(text):
    with lock:
        print(text, flush=True)


class Webhook(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
        right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        with lock:
            word = plan.pop(0) if len(plan) > 1 else plan[0]
        event = json.loads(body)
        if (
            right not in self.headers["webhook-signature"].split(" ")
            or event["id"] != self.headers["webhook-id"]
            or self.headers["Content-Type"] != "application/cloudevents+json"
        ):
            say("forged")
            word = "401"
        self.answer(word, event)

    def answer(self, word, event):
        if word in ("close", "hang"):
            say(word)
            if word == "hang":
                # Nothing comes but the end.
                self.rfile.read(1)
            self.close_connection = True
            return
        if word == "hold":
            say("holds")
            released.wait()
            word = "200"
        status, _, after = word.partition(":")
        status = {"redirect": 302, "long": 500}.get(status) or int(status)
        if status == 200:
            say(f"event {event['subject']} {event['id']}")
        else:
            say(f"refuses {word}")
        self.send_response(status)
        if word == "redirect":
            self.send_header("Location", "/elsewhere")
        if after:
            self.send_header("Retry-After", after)
        self.send_header("Content-Length", "1000000000" if word == "long" else "0")
        self.end_headers()
        try:
            while word == "long":
                self.wfile.write(b"x" * 65536)
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    # Who does not believe the certificate says so and goes.
    def handle_error(self, request, address):
        say(f"error {sys.exc_info()[0].__name__}")


server = Server(("127.0.0.1", 0), Webhook)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    # The handshake is the connection's own thread's.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
say(f"port {server.server_address[1]}")
server.serve_forever()
