"""
Sends DNS queries at a steady rate, without pending for responses: dns-load.py OPTIONS, as JSON. A client that waited for a
response before the next query would not notice a server that stops.
  server, port, rate: the server, and how many queries a second, from `sockets` source ports
  count: total number of queries (0: until stopped); timeout: a response after this many seconds counts as lost
  fresh: queries names below this domain that were never queried before; names: queries these, in turn
  numbered: this many of each of the names; a star in it is replaced by the number
  fresh_each: with both kinds of names, one of this many is fresh
  types: record types, in turn. dnssec: with the DO bit.
  follow: the port that is called at every address of a response as soon as it arrives, by UDP and, once per `tcp_each`
  responses, by TCP
Each line it reads is answered with the figures so far: "report" at once, "finish" when all queries are sent, "stop" sends no more.
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


def open_source():
    one = socket.socket(family, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)  # SO_RCVBUFFORCE: a pause of this process loses no response.
    one.setblocking(False)
    one.connect((options["server"], options["port"]))
    return one


def wire(name):
    return b"".join(bytes([len(label)]) + label for label in name.encode().split(b".") if label) + b"\0"


sources = [open_source() for _ in range(options["sockets"])]
sent_at = [array.array("d", [FORGOTTEN]) * 65536 for _ in sources]  # When the query with this id was sent.
types = [TYPES.get(it) or int(it[4:]) for it in options["types"]]
tail = b"\0\0\x29\x04\xd0\0\0\x80\0\0\0" if options["dnssec"] else b"\0\0\x29\x04\xd0\0\0\0\0\0\0"
known = [wire(name) for name in options["names"]]
if options["numbered"]:
    known = [wire(name.replace("*", str(index))) for index in range(options["numbered"]) for name in options["names"]]
below = wire(options["fresh"]) if options["fresh"] else None
sent = answered = late = refused_here = followed = 0
rcodes = collections.Counter()
latencies = array.array("f")
lost_in = collections.Counter()  # Second of the run → queries sent in it without a response.
pending = collections.deque()  # (time, index of the source, id), oldest first.
without_answer = 0.0  # The longest time between one answer and the next.
last_answer = None
first_good = None  # Monotonic clock, which all processes share.
lag = 0.0
udp_clients = {socket.AF_INET: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
           socket.AF_INET6: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)}
connections = collections.deque()


def query_body(number):
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


def send_query():
    global sent, refused_here
    index = sent % len(sources)
    number = sent // len(sources) & 0xFFFF
    now = time.monotonic()
    sent_at[index][number] = now
    pending.append((now, index, number))
    body = query_body(sent)
    sent += 1
    try:
        sources[index].send(struct.pack("!HHHHHH", number, 0x0100, 1, 0, 0, 1) + body)
    except OSError:
        refused_here += 1  # An ICMP error for an earlier query, or no route: the query counts as lost.


def receive(index):
    global answered, last_answer, without_answer, late, first_good
    for _ in range(256):
        try:
            data = sources[index].recv(4096)
        except BlockingIOError:
            return
        except OSError:
            continue
        if len(data) < 12:
            continue
        now = time.monotonic()
        number = data[0] << 8 | data[1]
        then = sent_at[index][number]
        if then == FORGOTTEN:
            late += 1
            continue
        sent_at[index][number] = FORGOTTEN
        answered += 1
        rcodes[data[3] & 15] += 1
        if first_good is None and data[3] & 15 == 0:
            first_good = now
        latencies.append(now - then)
        if last_answer is not None:
            without_answer = max(without_answer, now - last_answer)
        last_answer = now
        if options["follow"]:
            follow_response(data)


def follow_response(data):
    """Contacts every address of the response at once."""
    global followed
    for kind, address in addresses(data):
        followed += 1
        try:
            udp_clients[kind].sendto(b"%s %d" % (run.encode(), followed), (address, options["follow"]))
        except OSError:
            pass  # There may be no route: the gateway may block it.
        if options["tcp_each"] and followed % options["tcp_each"] == 0:
            one = socket.socket(kind, socket.SOCK_STREAM)
            one.setblocking(False)
            one.connect_ex((address, options["follow"]))
            connections.append(one)
            if len(connections) > 200:
                connections.popleft().close()


def addresses(data):
    index = 12
    while data[index]:
        index += 1 + data[index]
    index += 5
    for _ in range(struct.unpack_from("!H", data, 6)[0]):
        while data[index] and data[index] < 192:
            index += 1 + data[index]
        index += 2 if data[index] else 1
        kind, _, _, length = struct.unpack_from("!HHIH", data, index)
        index += 10
        if kind == 1:
            yield socket.AF_INET, socket.inet_ntop(socket.AF_INET, data[index:index + 4])
        if kind == 28:
            yield socket.AF_INET6, socket.inet_ntop(socket.AF_INET6, data[index:index + 16])
        index += length


def give_up(now):
    """Counts queries older than the timeout as lost."""
    while pending and pending[0][0] < now - options["timeout"]:
        then, index, number = pending.popleft()
        if sent_at[index][number] == then:
            sent_at[index][number] = FORGOTTEN
            lost_in[int(then - started)] += 1


def figures():
    ordered = sorted(latencies)
    at = lambda part: round(1000 * ordered[min(len(ordered) - 1, int(part * len(ordered)))], 3) if ordered else None
    lost = sum(lost_in.values())
    return {
        "sent": sent, "answered": answered, "lost": lost, "open": sent - answered - lost, "late": late,
        "refusedHere": refused_here, "firstGoodAtSec": first_good, "followed": followed, "rcodes": {str(code): many for code, many in rcodes.items()},
        "latencyMs": {"p50": at(0.5), "p90": at(0.9), "p99": at(0.99), "max": at(1)},
        "longestSilenceMs": round(1000 * without_answer, 1), "lagMs": round(1000 * lag, 1),
        "seconds": round(time.monotonic() - started, 3), "lostInSecond": {str(at): many for at, many in sorted(lost_in.items())},
    }


def answer(command):
    print(json.dumps(figures()), flush=True)
    return command != "report"


def main():
    global lag
    command, sending = None, True
    budget, last_turn = 0.0, started
    poll = select.epoll()
    indexes = {one.fileno(): index for index, one in enumerate(sources)}
    for one in indexes:
        poll.register(one, select.EPOLLIN)
    poll.register(sys.stdin.fileno(), select.EPOLLIN)
    while True:
        now = time.monotonic()
        target = int((now - started) * options["rate"]) + 1
        if options["count"]:
            target = min(target, options["count"])
        if sending and target > sent:
            lag = max(lag, now - started - sent / options["rate"])
            # After a pause of the machine, catches up at twice the rate: a single burst would be a different test.
            budget = min(BURST, budget + (now - last_turn) * 2 * options["rate"])
            for _ in range(min(int(budget) + 1, target - sent)):
                send_query()
                budget -= 1
        last_turn = now
        if sending and options["count"] and sent >= options["count"]:
            sending = False
        give_up(now)
        if command in ("finish", "stop") and not sending and not any_open():
            return answer(command)
        wait = 0 if sending and target > sent else 0.001 if sending else 0.02
        for one, _ in poll.poll(wait):
            if one in indexes:
                receive(indexes[one])
                continue
            command = sys.stdin.readline().strip()
            if command == "report":
                answer(command)
                command = None
            elif command == "stop":
                sending = False
            elif command != "finish":
                return None


def any_open():
    return sent - answered - sum(lost_in.values()) > 0


print(json.dumps("ready"), flush=True)
started = time.monotonic()
main()
