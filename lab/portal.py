"""
A captive portal: an HTTP server, and a DNS server if there are names: portal.py JSON, with `pages`, in which a host, or "*" for all
others, has its status, its redirect target and its text; and `names`, each with its addresses. Each line is answered with the requests
and queries since the previous one.
"""
import json
import socket
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

config = json.loads(sys.argv[1])
received = {"pages": [], "names": []}


class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        host = self.headers.get("Host", "").split(":")[0]
        received["pages"].append({"host": host, "path": self.path, "from": self.client_address[0].removeprefix("::ffff:")})
        status, location, text = config["pages"].get(host) or config["pages"]["*"]
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    address_family = socket.AF_INET6
    daemon_threads = True


def answer(query):
    end = query.index(b"\x00", 12) + 5
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode())
        at += 1 + query[at]
    name = ".".join(labels).lower()
    received["names"].append(name)
    kind = query[end - 3]
    family = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
    known = config["names"].get(name)
    right = [it for it in known or [] if family == (socket.AF_INET6 if ":" in it else socket.AF_INET)]
    data = [socket.inet_pton(family, it) for it in right]
    records = b"".join(b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 5, len(it)) + it for it in data)
    code = b"\x81\x80" if known else b"\x81\x83"
    return query[:2] + code + b"\x00\x01" + struct.pack(">H", len(data)) + b"\x00\x00\x00\x00" + query[12:end] + records


def names():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("0.0.0.0", 53))
    while True:
        query, peer = server.recvfrom(1500)
        server.sendto(answer(query), peer)


threading.Thread(target=Server(("::", 80), Pages).serve_forever, daemon=True).start()
if "names" in config:
    threading.Thread(target=names, daemon=True).start()
print("ready", flush=True)
for _ in sys.stdin:
    print(json.dumps(received), flush=True)
    received["pages"], received["names"] = [], []
