"""
A device that says everything a device can say, at a steady rate and in both families, until told to stop. It is given
who it is (probes.py JSON, see Sender in probes.ts). Each kind of probe has a destination of its own, so that a packet is
known by where it goes, whatever address it has outside; what can carry a payload carries a mark besides, and each
question for a name has a name of its own, which tells how it was asked and in which phase.

Lines it reads, as JSON: {"phase": 3} begins a phase, {"become": {...}} makes it somebody else, {"also": [...]} gives it
more places to talk to, "report" changes nothing. Each is answered with what was sent and answered so far, by probe.
"""
import collections
import ipaddress
import json
import os
import random
import select
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import checksum, frame, udp  # noqa: E402

KINDS = ["tcp", "udp", "icmp", "dns-udp", "dns-tcp", "dot", "quic", "stun"]
PORTS = {"tcp": 7007, "udp": 7008, "dns-udp": 53, "dns-tcp": 53, "dot": 853, "quic": 443, "stun": 3478}
UNDELIVERABLE = (7009, 7010)  # Answers from there are too big for the LAN, or die of age at the gateway.
NOBODY = {4: "10.0.0.177", 6: "fd00::177"}  # Answers to there reach nobody.
SYN, ACK, PSH = 0x02, 0x10, 0x08
PATIENCE = 3  # Seconds without an answer after which a connection is given up and begun anew.

me = json.loads(sys.argv[1])
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
raw.setsockopt(socket.SOL_SOCKET, 33, 16 << 20)  # SO_RCVBUFFORCE
raw.bind((me["interface"], 0))
raw.setblocking(False)
sent, answered = collections.Counter(), collections.Counter()
phase, number, also = 0, 0, []


def destination(kind, version):
    return me["to"][str(version)][KINDS.index(kind)]


def mark(kind, version):
    return b"~leak-%s-%s%d~" % (me["name"].encode(), kind.encode(), version)


def segment(source_port, port, flags, data=b""):
    def payload(pseudo):
        head = struct.pack("!HHIIBBHHH", source_port, port, number & 0xFFFFFFFF, 1, 0x50, flags, 64240, 0, 0)
        whole = checksum(pseudo(20 + len(data)) + head + data)
        return head[:16] + struct.pack("!H", whole) + head[18:] + data

    return payload


def ping(version, data):
    def payload(pseudo):
        head = struct.pack("!BBHHH", 8 if version == 4 else 128, 0, 0, 77, number & 0xFFFF) + data
        covered = head if version == 4 else pseudo(len(head)) + head
        return head[:2] + struct.pack("!H", checksum(covered)) + head[4:]

    return payload


def question(how):
    """A name that nobody has asked for, below the device's own domain."""
    label = b"p%d-%d-%s" % (phase, number, how.encode())
    name = b"".join(bytes([len(it)]) + it for it in [label, *me["domain"].encode().split(b".")])
    return struct.pack("!HHHHHH", number & 0xFFFF, 0x0100, 1, 0, 0, 0) + name + b"\0" + struct.pack("!HH", 1, 1)


def quic(data):
    """The first packet of a connection: a long header, version 1, and what pads it to the size it must have."""
    return (b"\xc3\0\0\0\1\x08" + struct.pack("!Q", number) + b"\0\0\x44\xb0" + data).ljust(1200, b"\0")


def stun(data):
    software = struct.pack("!HH", 0x8022, len(data)) + data + b"\0" * (-len(data) % 4)
    return struct.pack("!HHI", 1, len(software), 0x2112A442) + os.urandom(12) + software


def round_of_frames():
    fresh, lasting = 20000 + number % 40000, 10000 + number % 4
    for version in (4, 6):
        own, icmp = me["v%d" % version], 1 if version == 4 else 58
        # The gateway's own resolver is asked as well as somebody outside.
        name = {kind: mark(kind, version) for kind in KINDS}

        def to(kind, protocol, payload, where=None, source=own):
            sent["%s%d" % (kind, version)] += 1
            return frame(me["gatewayMac"], me["mac"], source, where or destination(kind, version), protocol, payload)

        yield to("tcp", 6, segment(fresh, PORTS["tcp"], SYN))
        yield to("tcp", 6, segment(lasting, PORTS["tcp"], ACK | PSH, name["tcp"]))
        yield to("udp", 17, udp(fresh, PORTS["udp"], name["udp"]))
        yield to("udp", 17, udp(lasting, PORTS["udp"], name["udp"]))
        yield to("icmp", icmp, ping(version, name["icmp"]))
        yield to("dns-udp", 17, udp(fresh, 53, question("u%d" % version)))
        yield to("dns-udp", 17, udp(fresh, 53, question("g%d" % version)), me["gateway"][str(version)])
        yield to("dns-tcp", 6, segment(fresh, 53, SYN))
        yield to("dot", 6, segment(fresh, 853, SYN))
        yield to("quic", 17, udp(fresh, 443, quic(name["quic"])))
        yield to("stun", 17, udp(fresh, 3478, stun(name["stun"])))
        for port in UNDELIVERABLE if number % 8 == 0 else ():
            yield to("udp", 17, udp(fresh, port, name["udp"]))
        if number % 8 == 4:
            yield to("udp", 17, udp(fresh, PORTS["udp"], name["udp"]), source=NOBODY[version])
        for where, port in also:
            if (":" in where) != (version == 6):
                continue
            if port == 53:
                yield to("dns-udp", 17, udp(fresh, port, question("u%d" % version)), where)
                yield to("dns-tcp", 6, segment(fresh, port, SYN), where)
            else:
                yield to("udp", 17, udp(lasting, port, name["udp"]), where)
                yield to("tcp", 6, segment(fresh, port, SYN), where)
                yield to("icmp", icmp, ping(version, name["icmp"]), where)


class Connection:
    """A connection of the device's own kernel that goes on for as long as it is answered."""

    def __init__(self, kind, version, where, port):
        self.kind, self.version, self.where, self.port = kind, version, where, port
        self.socket = None
        self.begin()

    def begin(self):
        if self.socket:
            self.socket.close()
        self.heard = time.monotonic()
        self.socket = socket.socket(socket.AF_INET if self.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Who gives up says so: a reset is one more thing that must not be seen.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.setblocking(False)
        try:
            self.socket.connect_ex((self.where, self.port))
        except OSError:
            pass

    def say(self):
        name = "%s%d" % (self.kind, self.version)
        try:
            heard = len(self.socket.recv(65536))
        except BlockingIOError:
            heard = None
        except OSError:
            heard = 0
        if heard:
            self.heard = time.monotonic()
            answered[name] += 1
        if time.monotonic() - self.heard > (PATIENCE if heard is None else 0.2 if heard == 0 else PATIENCE):
            self.begin()
            return
        if self.kind == "dns-tcp":
            asked = question("c%d" % self.version if self.port == 53 and self.where in me["gateway"].values() else "t%d" % self.version)
            data = struct.pack("!H", len(asked)) + asked
        else:
            data = mark(self.kind, self.version)
        try:
            self.socket.send(data)
            sent[name] += 1
        except OSError:
            pass


def connections():
    for version in (4, 6):
        for kind in ("tcp", "dns-tcp", "dot"):
            yield Connection(kind, version, destination(kind, version), PORTS[kind])
        yield Connection("dns-tcp", version, me["gateway"][str(version)], 53)


SOURCES = {}


def learn():
    SOURCES.clear()
    for version in ("4", "6"):
        for kind, where in zip(KINDS, me["to"][version]):
            SOURCES[ipaddress.ip_address(where).packed] = kind + version
        SOURCES[ipaddress.ip_address(me["gateway"][version]).packed] = "gateway" + version


def hear():
    """Whoever answers is known by the address asked."""
    for _ in range(4000):
        try:
            data, (_, _, direction, *_) = raw.recvfrom(128)
        except BlockingIOError:
            return
        if direction == 4:
            continue
        if data[12:14] == b"\x08\x00":
            name, protocol, start = SOURCES.get(data[26:30]), data[23], 34
        elif data[12:14] == b"\x86\xdd":
            name, protocol, start = SOURCES.get(data[22:38]), data[20], 54
        else:
            continue
        if name is None or protocol == 6 and name.startswith("gateway"):
            continue
        if name.startswith("gateway"):
            # Only an answer without an error shows that names are looked up.
            if protocol == 17 and data[start:start + 2] == b"\0\x35" and data[start + 11] & 15 == 0:
                answered["names" + name[-1]] += 1
        elif protocol != 6 or data[start + 13] & 0x04 == 0:
            answered[name] += 1


def obey(line):
    global phase, also
    told = json.loads(line)
    if told == "stop":
        return False
    if isinstance(told, dict) and "phase" in told:
        phase = told["phase"]
        sent.clear()
        answered.clear()
    if isinstance(told, dict) and "also" in told:
        also = told["also"]
    if isinstance(told, dict) and "become" in told:
        me.update(told["become"])
        learn()
        for one in talking:
            one.begin()
    return True


learn()
talking = list(connections())
per_round = sum(1 for _ in round_of_frames()) + len(talking)
sent.clear()
started, said = time.monotonic(), 0
print(json.dumps("talking"), flush=True)
while True:
    if select.select([sys.stdin], [], [], 0)[0]:
        line = sys.stdin.readline()
        if not line:
            break
        goes_on = obey(line)
        hear()
        seconds = round(time.monotonic() - started, 2)
        print(json.dumps({"sent": sent, "answered": answered, "seconds": seconds}), flush=True)
        if not goes_on:
            break
    number += 1
    for one in round_of_frames():
        try:
            raw.send(one)
        except OSError:
            pass  # The cable is being changed.
    for one in talking:
        one.say()
    hear()
    said += per_round
    ahead = said / me["perSecond"] - (time.monotonic() - started)
    if ahead > 0:
        time.sleep(ahead)
    elif ahead < -1:
        started, said = time.monotonic(), 0  # A slow moment of the machine is not made up for in one burst.
