"""
Sends GET requests to the API of its host, one after the other at a constant pace. `api-latency.py PER_SECOND PATH…`. Each line on
standard input ends a measurement, and is answered with what was measured since the last one: for each path, the seconds of every request.
"""
import http.client
import json
import select
import sys
import time

per_second, paths = float(sys.argv[1]), sys.argv[2:]
api = http.client.HTTPConnection("127.0.0.1", 8080, timeout=300)
took = {path: [] for path in paths}


def request(path):
    began = time.perf_counter()
    api.request("GET", "/api/v1" + path)
    answer = api.getresponse()
    answer.read()
    if answer.status != 200:
        raise RuntimeError(f"GET {path}: {answer.status}")
    took[path].append(time.perf_counter() - began)


print(json.dumps("ready"), flush=True)
number = 0
due = time.monotonic()
while True:
    request(paths[number % len(paths)])
    number += 1
    # A slow answer delays the next request, and is not followed by many at once.
    due = max(due + 1 / per_second, time.monotonic())
    if select.select([sys.stdin], [], [], max(0, due - time.monotonic()))[0]:
        if not sys.stdin.readline():
            break
        print(json.dumps(took), flush=True)
        took = {path: [] for path in paths}
