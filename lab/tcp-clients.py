"""
Keeps many TCP connections to the server outside. "open N" opens N more, "say" sends a line on each and waits for the echoes;
each is answered with how many connections there are and how many of them are alive.
"""
import json
import select
import socket
import sys
import time

connections = []
number = 0


def open_more(count):
    for place in range(count):
        family, address = ((socket.AF_INET, "203.0.113.5"), (socket.AF_INET6, "2001:db8:f::1"))[place % 2]
        one = socket.create_connection((address, 443), timeout=60)
        one.sendall(b"crowd\n")
        connections.append(one)


def say():
    """A connection that does not echo what it was told is dead."""
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
                heard = one.recv(4096)
            except OSError:
                heard = b""
            if heard.endswith(line):
                alive += 1
            if heard.endswith(line) or not heard:
                del missing[one]
    return alive


print(json.dumps("ready"), flush=True)
for command in sys.stdin:
    verb, *count = command.split()
    if verb == "open":
        open_more(int(count[0]))
    print(json.dumps({"connections": len(connections), "alive": say() if verb == "say" else len(connections)}), flush=True)
