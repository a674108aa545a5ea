"""
Answers HTTP on this port with the address of the client; /NUMBER adds that many bytes, a few at a time.
"""
import http.server
import sys
import time


class EchoAddress(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        seen = self.client_address[0].encode()
        more = int(self.path[1:] or 0)
        self.send_response(200)
        self.send_header("Content-Length", str(len(seen) + more))
        self.end_headers()
        self.wfile.write(seen)
        while more > 0:
            part = min(more, 50_000)
            self.wfile.write(b" " * part)
            more -= part
            time.sleep(0.05)

    def log_message(self, *_):
        pass


with http.server.ThreadingHTTPServer(("0.0.0.0", int(sys.argv[1])), EchoAddress) as server:
    print("serving", flush=True)
    server.serve_forever()
