"""
Calls servers over TCP and stays on the line: open-connections.py. Each line it reads is a JSON list of [address, port]; it hangs up
whom it called before, and answers once all of them have answered the call. It says one byte, because some do not listen to
whoever says nothing: one with which both a question for a name and a talk with a SOCKS5 server can begin.
"""
import json
import socket
import sys

lines = []
print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    for one in lines:
        one.close()
    try:
        lines = [socket.create_connection(tuple(server), timeout=30) for server in json.loads(line)]
        for one in lines:
            one.sendall(b"\5")
    except OSError:
        lines = []
    print(json.dumps(len(lines)), flush=True)
