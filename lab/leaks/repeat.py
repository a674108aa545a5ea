"""
Sends the same packets repeatedly. Each line it reads is a list of packets that replaces the previous one.
"""
import json
import select
import sys


def repeat(made, send, dispose=lambda one: None):
    everything = []
    print(json.dumps("ready"), flush=True)
    while True:
        if select.select([sys.stdin], [], [], 0.02)[0]:
            line = sys.stdin.readline()
            if not line:
                break
            for one in everything:
                dispose(one)
            everything = [made(one) for one in json.loads(line)]
            print(json.dumps(len(everything)), flush=True)
        for one in everything:
            try:
                send(one)
            except OSError:
                pass  # It was refused, or the link is being changed: both are expected.
