"""
Waits for the jump host's connection and asks through it what it is told to ask: a line of JSON, how long to wait for the
answer and [method, path, body]. Says how the API answered, or that nobody did: {"path": "dead"}.
"""
import json
import select
import socket
import sys
import time

from egress import way_of

SIGN_OF_LIFE_EVERY = 0.2
ear = socket.create_server(("203.0.113.5", 7000))
line = None  # The newest connection; older ones have been given up by the jump host.
way = None


def wait(until):
    """Accepts, says that we are there, and hears. Answers what the jump host says, None when it is silent or calls anew."""
    global line, way
    heard = b""
    while time.monotonic() < until:
        ready = select.select([one for one in (ear, line) if one], [], [], SIGN_OF_LIFE_EVERY)[0]
        if ear in ready:
            line, peer = ear.accept()
            way = way_of(peer[0])
            return None  # Whoever was asked before is not there any more.
        try:
            if line in ready:
                data = line.recv(65536)
                heard += data
                if heard.endswith(b"\n"):
                    return json.loads(heard)
                if not data:
                    line = None
            if line:
                line.send(b"\n")
        except OSError:
            line = None
    return None


def ask(patience, question):
    if line is None:
        return {"path": "dead"}
    try:
        line.send(json.dumps(question).encode() + b"\n")
    except OSError:
        return {"path": "dead"}
    answer = wait(time.monotonic() + patience)
    return {"path": "dead"} if answer is None else {"path": "alive", "way": way, **answer}


print(json.dumps("ready"), flush=True)
while True:
    wait(time.monotonic() + SIGN_OF_LIFE_EVERY)
    if select.select([sys.stdin], [], [], 0)[0]:
        question = sys.stdin.readline()
        if not question:
            break
        print(json.dumps(ask(*json.loads(question))), flush=True)
