"""
A TCP server that sends data to every client ten times a second, without end: streaming-server.py PORT.
"""
import json
import socket
import sys
import threading
import time

server = socket.create_server(("::", int(sys.argv[1])), family=socket.AF_INET6, dualstack_ipv6=True)


def stream(client):
    while True:
        client.sendall(b"more data\n")
        time.sleep(0.1)


def listen():
    while True:
        threading.Thread(target=stream, args=server.accept()[:1], daemon=True).start()


threading.Thread(target=listen, daemon=True).start()
print(json.dumps("ready"), flush=True)
for _ in sys.stdin:
    pass
