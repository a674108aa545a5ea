"""
The remote end of the jump host's connection: it forwards API requests through it. Each jump_host it reads is JSON: how many seconds to
wait for the response, and [method, path, body]. It prints the API's response, or {"path": "dead"}.
"""
import json
import select
import socket
import sys
import time

from egress import egress_of

KEEPALIVE_SEC = 0.2
listener = socket.create_server(("203.0.113.5", 7000))
jump_host = None  # The newest connection; the jump host has closed older ones.
egress = None


def wait(until):
    """Accepts connections, sends keepalives and reads. Returns the message of the jump host; None if it is silent or reconnects."""
    global jump_host, egress
    received = b""
    while time.monotonic() < until:
        ready = select.select([one for one in (listener, jump_host) if one], [], [], KEEPALIVE_SEC)[0]
        if listener in ready:
            jump_host, peer = listener.accept()
            egress = egress_of(peer[0])
            return None  # The previous connection is gone, and its request with it.
        try:
            if jump_host in ready:
                data = jump_host.recv(65536)
                received += data
                if received.endswith(b"\n"):
                    return json.loads(received)
                if not data:
                    jump_host = None
            if jump_host:
                jump_host.send(b"\n")
        except OSError:
            jump_host = None
    return None


def request(timeout_sec, message):
    if jump_host is None:
        return {"path": "dead"}
    try:
        jump_host.send(json.dumps(message).encode() + b"\n")
    except OSError:
        return {"path": "dead"}
    answer = wait(time.monotonic() + timeout_sec)
    return {"path": "dead"} if answer is None else {"path": "alive", "egress": egress, **answer}


print(json.dumps("ready"), flush=True)
while True:
    wait(time.monotonic() + KEEPALIVE_SEC)
    if select.select([sys.stdin], [], [], 0)[0]:
        message = sys.stdin.readline()
        if not message:
            break
        print(json.dumps(request(*json.loads(message))), flush=True)
