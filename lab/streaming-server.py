"""
A server that never stops talking: streaming-server.py PORT. It says something to everybody who calls, ten times a second.
"""
import json
import socket
import sys
import threading
import time

server = socket.create_server(("::", int(sys.argv[1])), family=socket.AF_INET6, dualstack_ipv6=True)


def chat(caller):
    while True:
        caller.sendall(b"and another thing\n")
        time.sleep(0.1)


def listen():
    while True:
        threading.Thread(target=chat, args=server.accept()[:1], daemon=True).start()


threading.Thread(target=listen, daemon=True).start()
print(json.dumps("ready"), flush=True)
for _ in sys.stdin:
    pass
