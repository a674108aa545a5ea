"""
An HTTP page with the address of the client: echo_address.py ADDRESS, on port 8000.
"""
import http.server
import json
import sys
import threading


class Echo(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.client_address[0].encode() + b"\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


page = http.server.ThreadingHTTPServer((sys.argv[1], 8000), Echo)
threading.Thread(target=page.serve_forever, daemon=True).start()
print(json.dumps("ready"), flush=True)
for _ in sys.stdin:
    pass
