"""Who says the same again and again. Each line that is read is a list of what to say that replaces the one before."""
import json
import select
import sys


def again(made, say, forget=lambda one: None):
    everything = []
    print(json.dumps("ready"), flush=True)
    while True:
        if select.select([sys.stdin], [], [], 0.02)[0]:
            line = sys.stdin.readline()
            if not line:
                break
            for one in everything:
                forget(one)
            everything = [made(one) for one in json.loads(line)]
            print(json.dumps(len(everything)), flush=True)
        for one in everything:
            try:
                say(one)
            except OSError:
                pass  # It was refused, or the cable is being changed: both are meant to happen.
