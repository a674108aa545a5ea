"""
Connects by TCP without a pause, each time anew: connects.py ADDRESS PORT. Each line is answered with how many connections
were answered with a banner and how many were not since the line before, and whether the last one was. The answer waits for
connections that began after the line.
"""
import json
import socket
import sys
import threading
import time

target = (sys.argv[1], int(sys.argv[2]))
changed = threading.Condition()
counts = {"answered": 0, "failed": 0}
finished = 0
last = False


def attempt():
    try:
        with socket.create_connection(target, timeout=1.5) as connection:
            return connection.recv(3) == b"SSH"
    except OSError:
        return False


def connect():
    global finished, last
    while True:
        is_answered = attempt()
        with changed:
            counts["answered" if is_answered else "failed"] += 1
            finished += 1
            last = is_answered
            changed.notify_all()
        time.sleep(0.03)


threading.Thread(target=connect, daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    with changed:
        until = finished + 2  # The one that runs may have begun before.
        changed.wait_for(lambda: finished >= until)
        print(json.dumps(counts | {"last": last}), flush=True)
        counts = {"answered": 0, "failed": 0}
