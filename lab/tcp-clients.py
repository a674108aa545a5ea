"""
Keeps many TCP connections to the server outside. "open N" opens N more, "send" sends a line on each and waits for the echoes;
each command is answered with the number of connections and how many of them are alive.
"""
import json
import select
import socket
import sys
import time

connections = []
number = 0


def open_more(count):
    for index in range(count):
        family, address = ((socket.AF_INET, "203.0.113.5"), (socket.AF_INET6, "2001:db8:f::1"))[index % 2]
        one = socket.create_connection((address, 443), timeout=60)
        one.sendall(b"clients\n")
        connections.append(one)


def send_all():
    """A connection that does not echo the line is dead."""
    global number
    line = b"%d\n" % number
    number += 1
    missing = {}
    for one in connections:
        try:
            one.sendall(line)
            missing[one] = True
        except OSError:
            pass
    until = time.monotonic() + 20
    alive = 0
    while missing and time.monotonic() < until:
        for one in select.select(list(missing), [], [], 0.5)[0]:
            try:
                data = one.recv(4096)
            except OSError:
                data = b""
            if data.endswith(line):
                alive += 1
            if data.endswith(line) or not data:
                del missing[one]
    return alive


print(json.dumps("ready"), flush=True)
for command in sys.stdin:
    verb, *count = command.split()
    if verb == "open":
        open_more(int(count[0]))
    print(json.dumps({"connections": len(connections), "alive": send_all() if verb == "send" else len(connections)}), flush=True)
