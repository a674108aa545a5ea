"""
Hostile DNS queries: hostile.py SERVER RATE SEED KIND…, a rate of 0 is as fast as possible.
  malformed  wrong counts, labels without end, truncated and random packets
  loops      compression pointers to themselves, to each other and beyond the packet
  edns       oversized and repeated options, unknown versions
  random     names that were never queried before: each one is a cache miss
  types      every type and class there is
  tcp        connections that send little, slowly, and announce wrong lengths
Each line it reads is answered with how many of each kind were sent; "stop" ends it.
"""
import collections
import json
import random
import select
import socket
import struct
import sys
import time

server, rate, seed, kinds = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4:]
chance = random.Random(seed)
family = socket.AF_INET6 if ":" in server else socket.AF_INET
run = "%06x" % chance.getrandbits(24)
sent = collections.Counter()
connections = collections.deque()


def wire(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label) + b"\0"


def head(qdcount=1, answers=0, authorities=0, additionals=0, flags=0x0100):
    return struct.pack("!HHHHHH", chance.getrandbits(16), flags, qdcount, answers, authorities, additionals)


def anything(limit):
    return chance.randbytes(chance.randrange(limit))


def malformed():
    name = wire(f"{run}.fresh.lab")
    return chance.choice([
        lambda: anything(1400),
        lambda: head()[:chance.randrange(12)],
        lambda: head(65535, 65535, 65535, 65535) + name + b"\0\1\0\1",
        lambda: head(0) + name,
        lambda: head(2) + name + b"\0\1\0\1" + name + b"\0\1\0\1",
        lambda: head() + name[:chance.randrange(len(name))],
        lambda: head() + b"\x3f" + b"a" * 20,
        lambda: head() + (b"\x3f" + b"a" * 63) * 20 + b"\0\0\1\0\1",  # Far more than 255 bytes of name
        lambda: head() + b"\x80\x41" + name + b"\0\1\0\1",  # A kind of label that does not exist
        lambda: head() + b"\1a" * 127 + b"\0\0\1\0\1",
        lambda: head() + b"\x04\0\xff\n." + name + b"\0\1\0\1",
        lambda: head(flags=chance.getrandbits(16)) + name + b"\0\1\0\1" + anything(300),  # Also answers, updates, notifies
        lambda: head(1, 0, 0, 1) + name + b"\0\1\0\1" + name + struct.pack("!HHIH", 1, 1, 60, 65535) + b"\1",
    ])()


def loops():
    return chance.choice([
        lambda: head() + b"\xc0\x0c\0\1\0\1",  # At itself
        lambda: head() + b"\xc0\x0e\xc0\x0c\0\1\0\1",  # At each other
        lambda: head() + b"\1a\xc0\x0c\0\1\0\1",  # A name that grows for ever
        lambda: head() + b"\xff\xff\0\1\0\1",  # Behind the end
        lambda: head() + b"\xc0\x00\0\1\0\1",  # Into the header
        lambda: head() + b"".join(struct.pack("!H", 0xC00E + 2 * place) for place in range(600)) + b"\0\1\0\1",
    ])()


def edns():
    name = wire(f"{chance.getrandbits(32):x}.{run}.fresh.lab") + b"\0\1\0\1"

    def opt(size=65535, version=0, data=b"", length=None):
        return b"\0" + struct.pack("!HHBBHH", 41, size, 0, version, 0x8000, len(data) if length is None else length) + data

    option = lambda code, length: struct.pack("!HH", code, length) + chance.randbytes(length)
    return chance.choice([
        lambda: head(1, 0, 0, 1) + name + opt(),
        lambda: head(1, 0, 0, 1) + name + opt(0),
        lambda: head(1, 0, 0, 1) + name + opt(4096, chance.randrange(1, 256)),
        lambda: head(1, 0, 0, 1) + name + opt(data=option(12, 1200)),  # Padding
        lambda: head(1, 0, 0, 1) + name + opt(data=b"".join(option(chance.getrandbits(16), 0) for _ in range(300))),
        lambda: head(1, 0, 0, 1) + name + opt(data=option(8, 8)),  # An invalid subnet
        lambda: head(1, 0, 0, 1) + name + opt(data=option(10, 700)),  # An invalid cookie
        lambda: head(1, 0, 0, 1) + name + opt(length=65535),
        lambda: head(1, 0, 0, 20) + name + opt() * 20,
        lambda: head(1, 0, 0, 1) + name + opt(data=option(12, 60000)),  # In fragments
    ])()


def subdomains():
    return head() + wire(f"{chance.getrandbits(48):x}.{run}.fresh.lab") + b"\0\1\0\1"


def every_type():
    kind = sent["types"] & 0xFFFF
    classes = chance.choice([1, 1, 1, 2, 3, 4, 254, 255, 0, 65535])
    return head() + wire(chance.choice(["signed.lab", "big.lab", f"{kind:x}.{run}.fresh.lab", ""])) + struct.pack("!HH", kind, classes)


def connect():
    one = socket.socket(family, socket.SOCK_STREAM)
    one.setblocking(False)
    one.connect_ex((server, 53))
    connections.append(one)
    if len(connections) > 200:
        connections.popleft().close()
    for other in list(connections)[-20:]:
        try:
            other.send(chance.choice([b"\xff\xff\0", b"\0", b"\0\1x", b"\0\0", struct.pack("!H", 12) + head(), anything(100)]))
        except OSError:
            pass  # The server may close such connections.


makers = {"malformed": malformed, "loops": loops, "edns": edns, "random": subdomains, "types": every_type}
sockets = []
for _ in range(8):
    udp = socket.socket(family, socket.SOCK_DGRAM)
    udp.setblocking(False)
    udp.connect((server, 53))
    sockets.append(udp)
print(json.dumps("ready"), flush=True)
started, turns = time.monotonic(), 0
while True:
    kind = kinds[turns % len(kinds)]
    turns += 1
    if kind == "tcp":
        connect()
    else:
        try:
            sockets[turns % len(sockets)].send(makers[kind]())
        except OSError:
            pass  # An ICMP error, or a full buffer.
    sent[kind] += 1
    early = started + turns / rate - time.monotonic() if rate else 0
    if turns % 64 == 0 or early > 0.002:
        for udp in sockets:
            try:
                while udp.recv(4096):
                    pass
            except OSError:
                pass  # No more responses.
        if select.select([sys.stdin], [], [], max(0, early))[0]:
            word = sys.stdin.readline().strip()
            print(json.dumps(sent), flush=True)
            if word != "report":
                break
