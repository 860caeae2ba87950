"""A tile server of its own on the loopback, with map tiles as images of one color; it counts what it is asked for."""
import http.server
import struct
import threading
import zlib


def image(red, green, blue, side=256):
    """A PNG of one color."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = (b"\0" + bytes((red, green, blue)) * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class TileServer:
    def __init__(self):
        self.asked = []
        asked = self.asked

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.path, dict(self.headers)))
                parts = self.path.strip("/").removesuffix(".png").split("/")
                isTile = len(parts) == 3 and all(part.isdigit() for part in parts)
                content = image(200, 215, 200 + sum(map(int, parts[1:])) % 2 * 40) if isTile else b""
                self.send_response(200 if isTile else 404)
                self.send_header("Content-Type", "image/png")
                # As real tile servers do, so that pages of other origins may show them.
                self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()
