"""
Asks a name server at a steady rate, whatever becomes of the answers: dns-load.py OPTIONS, as JSON. Who waited for answers
before asking on would not notice a server that stands still.
  server, port, rate: whom, and how many questions a second, from `sockets` source ports
  count: so many questions (0: until told to stop); timeout: an answer after so many seconds is a lost one
  fresh: names below this domain that nobody has asked for before; names: these, in turns
  numbered: so many of each of the names; a star in it stands for the number
  fresh_each: where there are both, one of so many is fresh
  types: of records, in turns. dnssec: with the DO bit.
  follow: the port that is called at every address in an answer the moment it arrives, by UDP and, of every `tcp_each`
  answers, once by TCP
Each line it reads is answered with the figures so far: "report" at once, "finish" when all is asked, "stop" asks no more.
"""
import array
import collections
import json
import os
import select
import socket
import struct
import sys
import time

options = {"port": 53, "rate": 1000, "sockets": 4, "count": 0, "timeout": 10.0, "fresh": None, "names": [], "numbered": 0, "fresh_each": 2,
           "types": ["A"], "dnssec": False, "follow": 0, "tcp_each": 0, "urgent": False, **json.loads(sys.argv[1])}
if options["urgent"]:
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
TYPES = {"A": 1, "NS": 2, "CNAME": 5, "SOA": 6, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28, "SRV": 33, "SVCB": 64,
         "HTTPS": 65, "CAA": 257}
FORGOTTEN = -1.0
BURST = 64
family = socket.AF_INET6 if ":" in options["server"] else socket.AF_INET
run = os.urandom(3).hex()


def door():
    one = socket.socket(family, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)  # SO_RCVBUFFORCE: a slow moment of ours is no answer lost.
    one.setblocking(False)
    one.connect((options["server"], options["port"]))
    return one


def wire(name):
    return b"".join(bytes([len(label)]) + label for label in name.encode().split(b".") if label) + b"\0"


doors = [door() for _ in range(options["sockets"])]
sent_at = [array.array("d", [FORGOTTEN]) * 65536 for _ in doors]  # When the question with this id went out.
types = [TYPES.get(it) or int(it[4:]) for it in options["types"]]
tail = b"\0\0\x29\x04\xd0\0\0\x80\0\0\0" if options["dnssec"] else b"\0\0\x29\x04\xd0\0\0\0\0\0\0"
known = [wire(name) for name in options["names"]]
if options["numbered"]:
    known = [wire(name.replace("*", str(place))) for place in range(options["numbered"]) for name in options["names"]]
below = wire(options["fresh"]) if options["fresh"] else None
asked = answered = late = refused_here = followed = 0
rcodes = collections.Counter()
latencies = array.array("f")
lost_in = collections.Counter()  # Second of the run → questions of it that nobody answered.
waiting = collections.deque()  # Of (when, door, id), the oldest first.
without_answer = 0.0  # The longest time between one answer and the next.
last_heard = None
first_good = None  # By the clock that all processes share.
lag = 0.0
callers = {socket.AF_INET: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
           socket.AF_INET6: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)}
connections = collections.deque()


def question(number):
    if below and known:
        fresh = number % options["fresh_each"] == 0
    else:
        fresh = below is not None
    if fresh:
        label = b"%s-%d" % (run.encode(), number // len(types))
        name = bytes([len(label)]) + label + below
    else:
        name = known[number // len(types) % len(known)]
    return name + struct.pack("!HH", types[number % len(types)], 1) + tail


def ask():
    global asked, refused_here
    place = asked % len(doors)
    number = asked // len(doors) & 0xFFFF
    now = time.monotonic()
    sent_at[place][number] = now
    waiting.append((now, place, number))
    body = question(asked)
    asked += 1
    try:
        doors[place].send(struct.pack("!HHHHHH", number, 0x0100, 1, 0, 0, 1) + body)
    except OSError:
        refused_here += 1  # A refusal that came for an earlier one, or no way: it counts as lost, as it is.


def hear(place):
    global answered, last_heard, without_answer, late, first_good
    for _ in range(256):
        try:
            data = doors[place].recv(4096)
        except BlockingIOError:
            return
        except OSError:
            continue
        if len(data) < 12:
            continue
        now = time.monotonic()
        number = data[0] << 8 | data[1]
        then = sent_at[place][number]
        if then == FORGOTTEN:
            late += 1
            continue
        sent_at[place][number] = FORGOTTEN
        answered += 1
        rcodes[data[3] & 15] += 1
        if first_good is None and data[3] & 15 == 0:
            first_good = now
        latencies.append(now - then)
        if last_heard is not None:
            without_answer = max(without_answer, now - last_heard)
        last_heard = now
        if options["follow"]:
            call(data)


def call(data):
    """At once at every address, as a program does that has waited for nothing else."""
    global followed
    for kind, address in addresses(data):
        followed += 1
        try:
            callers[kind].sendto(b"%s %d" % (run.encode(), followed), (address, options["follow"]))
        except OSError:
            pass  # There may be no way; that is what the gateway is for.
        if options["tcp_each"] and followed % options["tcp_each"] == 0:
            one = socket.socket(kind, socket.SOCK_STREAM)
            one.setblocking(False)
            one.connect_ex((address, options["follow"]))
            connections.append(one)
            if len(connections) > 200:
                connections.popleft().close()


def addresses(data):
    place = 12
    while data[place]:
        place += 1 + data[place]
    place += 5
    for _ in range(struct.unpack_from("!H", data, 6)[0]):
        while data[place] and data[place] < 192:
            place += 1 + data[place]
        place += 2 if data[place] else 1
        kind, _, _, length = struct.unpack_from("!HHIH", data, place)
        place += 10
        if kind == 1:
            yield socket.AF_INET, socket.inet_ntop(socket.AF_INET, data[place:place + 4])
        if kind == 28:
            yield socket.AF_INET6, socket.inet_ntop(socket.AF_INET6, data[place:place + 16])
        place += length


def give_up(now):
    """On questions that are too old. Whoever has waited for one has lost it."""
    while waiting and waiting[0][0] < now - options["timeout"]:
        then, place, number = waiting.popleft()
        if sent_at[place][number] == then:
            sent_at[place][number] = FORGOTTEN
            lost_in[int(then - started)] += 1


def figures():
    ordered = sorted(latencies)
    at = lambda part: round(1000 * ordered[min(len(ordered) - 1, int(part * len(ordered)))], 3) if ordered else None
    lost = sum(lost_in.values())
    return {
        "sent": asked, "answered": answered, "lost": lost, "open": asked - answered - lost, "late": late,
        "refusedHere": refused_here, "firstGoodAtSec": first_good, "followed": followed, "rcodes": {str(code): many for code, many in rcodes.items()},
        "latencyMs": {"p50": at(0.5), "p90": at(0.9), "p99": at(0.99), "max": at(1)},
        "longestSilenceMs": round(1000 * without_answer, 1), "lagMs": round(1000 * lag, 1),
        "seconds": round(time.monotonic() - started, 3), "lostInSecond": {str(at): many for at, many in sorted(lost_in.items())},
    }


def answer(told):
    print(json.dumps(figures()), flush=True)
    return told != "report"


def main():
    global lag
    told, asking = None, True
    room, last_turn = 0.0, started
    poll = select.epoll()
    places = {one.fileno(): place for place, one in enumerate(doors)}
    for one in places:
        poll.register(one, select.EPOLLIN)
    poll.register(sys.stdin.fileno(), select.EPOLLIN)
    while True:
        now = time.monotonic()
        due = int((now - started) * options["rate"]) + 1
        if options["count"]:
            due = min(due, options["count"])
        if asking and due > asked:
            lag = max(lag, now - started - asked / options["rate"])
            # Who was kept waiting by the machine catches up at twice the rate: all at once would be another question.
            room = min(BURST, room + (now - last_turn) * 2 * options["rate"])
            for _ in range(min(int(room) + 1, due - asked)):
                ask()
                room -= 1
        last_turn = now
        if asking and options["count"] and asked >= options["count"]:
            asking = False
        give_up(now)
        if told in ("finish", "stop") and not asking and not any_open():
            return answer(told)
        wait = 0 if asking and due > asked else 0.001 if asking else 0.02
        for one, _ in poll.poll(wait):
            if one in places:
                hear(places[one])
                continue
            told = sys.stdin.readline().strip()
            if told == "report":
                answer(told)
                told = None
            elif told == "stop":
                asking = False
            elif told != "finish":
                return None


def any_open():
    return asked - answered - sum(lost_in.values()) > 0


print(json.dumps("asking"), flush=True)
started = time.monotonic()
main()
