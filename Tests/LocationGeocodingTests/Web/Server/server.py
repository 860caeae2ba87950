"""A geocoder over HTTPS and another server over HTTP, which write down what they are asked.

usage: server.py FOLDER PATH=STATUS,LOCATION...

Makes a certificate in FOLDER, prints the two ports, and answers a path as told: {own}, {other}, and
{plain} in a location stand for the HTTPS server, the same one under another name, and the HTTP
server. Anything else is answered with an empty list. At the first line of its input it prints what
it was asked, one line each, then an empty line, and ends.
"""

import http.server
import ssl
import subprocess
import sys
import threading

folder = sys.argv[1]
answers = dict(word.split("=", 1) for word in sys.argv[2:])
asked = []
places = {}


class Handler(http.server.BaseHTTPRequestHandler):
    scheme = "https"

    def do_GET(self):
        asked.append(f"{self.scheme} {self.path}")
        status, _, location = answers.get(self.path.split("?")[0], "200,").partition(",")
        self.send_response(int(status))
        if location:
            query = self.path.partition("?")[2]
            self.send_header("Location", location.format(**places) + "?" + query)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *_):
        pass


class Plain(Handler):
    scheme = "http"


subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
     "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
     folder + "/key.pem", "-out", folder + "/certificate.pem"],
    check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
secure = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
plain = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Plain)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/certificate.pem", folder + "/key.pem")
secure.socket = context.wrap_socket(secure.socket, server_side=True)
places["own"] = f"https://localhost:{secure.server_port}"
places["other"] = f"https://127.0.0.1:{secure.server_port}"
places["plain"] = f"http://localhost:{plain.server_port}"
for server in (secure, plain):
    threading.Thread(target=server.serve_forever, daemon=True).start()
print(secure.server_port, plain.server_port, flush=True)
sys.stdin.readline()
for line in asked:
    print(line)
print(flush=True)
