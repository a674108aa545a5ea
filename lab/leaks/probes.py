"""
A device that sends every kind of probe, at a steady rate and in both families, until stopped. Its identity is the argument
(probes.py JSON, see startSender in probes.ts). Each kind of probe has its own destination, which identifies a packet whatever its
source address outside; a payload contains a mark besides, and each DNS query has a name of its own, which contains its transport
and its phase.

Lines it reads, as JSON: {"phase": 3} begins a phase, {"become": {...}} changes its identity, {"also": [...]} adds destinations,
"report" changes nothing. Each is answered with what was sent and answered so far, by probe.
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
UNDELIVERABLE = (7009, 7010)  # Responses from there exceed the MTU of the LAN, or their TTL expires at the gateway.
UNUSED = {4: "10.0.0.177", 6: "fd00::177"}  # Responses to these addresses reach no device.
SYN, ACK, PSH = 0x02, 0x10, 0x08
TIMEOUT_SEC = 3  # Without a response for this long, a connection is opened again.

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


def query(how):
    """A query for a fresh name below the device's own domain."""
    label = b"p%d-%d-%s" % (phase, number, how.encode())
    name = b"".join(bytes([len(it)]) + it for it in [label, *me["domain"].encode().split(b".")])
    return struct.pack("!HHHHHH", number & 0xFFFF, 0x0100, 1, 0, 0, 0) + name + b"\0" + struct.pack("!HH", 1, 1)


def quic(data):
    """The first packet of a connection: a long header, version 1, padded to the minimum size."""
    return (b"\xc3\0\0\0\1\x08" + struct.pack("!Q", number) + b"\0\0\x44\xb0" + data).ljust(1200, b"\0")


def stun(data):
    software = struct.pack("!HH", 0x8022, len(data)) + data + b"\0" * (-len(data) % 4)
    return struct.pack("!HHI", 1, len(software), 0x2112A442) + os.urandom(12) + software


def round_of_frames():
    fresh, lasting = 20000 + number % 40000, 10000 + number % 4
    for version in (4, 6):
        own, icmp = me["v%d" % version], 1 if version == 4 else 58
        # Queries go to the gateway's resolver as well as to a server outside.
        name = {kind: mark(kind, version) for kind in KINDS}

        def to(kind, protocol, payload, where=None, source=own):
            sent["%s%d" % (kind, version)] += 1
            return frame(me["gatewayMac"], me["mac"], source, where or destination(kind, version), protocol, payload)

        yield to("tcp", 6, segment(fresh, PORTS["tcp"], SYN))
        yield to("tcp", 6, segment(lasting, PORTS["tcp"], ACK | PSH, name["tcp"]))
        yield to("udp", 17, udp(fresh, PORTS["udp"], name["udp"]))
        yield to("udp", 17, udp(lasting, PORTS["udp"], name["udp"]))
        yield to("icmp", icmp, ping(version, name["icmp"]))
        yield to("dns-udp", 17, udp(fresh, 53, query("u%d" % version)))
        yield to("dns-udp", 17, udp(fresh, 53, query("g%d" % version)), me["gateway"][str(version)])
        yield to("dns-tcp", 6, segment(fresh, 53, SYN))
        yield to("dot", 6, segment(fresh, 853, SYN))
        yield to("quic", 17, udp(fresh, 443, quic(name["quic"])))
        yield to("stun", 17, udp(fresh, 3478, stun(name["stun"])))
        for port in UNDELIVERABLE if number % 8 == 0 else ():
            yield to("udp", 17, udp(fresh, port, name["udp"]))
        if number % 8 == 4:
            yield to("udp", 17, udp(fresh, PORTS["udp"], name["udp"]), source=UNUSED[version])
        for where, port in also:
            if (":" in where) != (version == 6):
                continue
            if port == 53:
                yield to("dns-udp", 17, udp(fresh, port, query("u%d" % version)), where)
                yield to("dns-tcp", 6, segment(fresh, port, SYN), where)
            else:
                yield to("udp", 17, udp(lasting, port, name["udp"]), where)
                yield to("tcp", 6, segment(fresh, port, SYN), where)
                yield to("icmp", icmp, ping(version, name["icmp"]), where)


class Connection:
    """A connection of the device's own kernel that stays open for as long as it is answered."""

    def __init__(self, kind, version, where, port):
        self.kind, self.version, self.where, self.port = kind, version, where, port
        self.socket = None
        self.begin()

    def begin(self):
        if self.socket:
            self.socket.close()
        self.received = time.monotonic()
        self.socket = socket.socket(socket.AF_INET if self.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Closes with a reset, which must not be seen outside either.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.setblocking(False)
        try:
            self.socket.connect_ex((self.where, self.port))
        except OSError:
            pass

    def send(self):
        name = "%s%d" % (self.kind, self.version)
        try:
            received = len(self.socket.recv(65536))
        except BlockingIOError:
            received = None
        except OSError:
            received = 0
        if received:
            self.received = time.monotonic()
            answered[name] += 1
        if time.monotonic() - self.received > (TIMEOUT_SEC if received is None else 0.2 if received == 0 else TIMEOUT_SEC):
            self.begin()
            return
        if self.kind == "dns-tcp":
            message = query("c%d" % self.version if self.port == 53 and self.where in me["gateway"].values() else "t%d" % self.version)
            data = struct.pack("!H", len(message)) + message
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


def update_sources():
    SOURCES.clear()
    for version in ("4", "6"):
        for kind, where in zip(KINDS, me["to"][version]):
            SOURCES[ipaddress.ip_address(where).packed] = kind + version
        SOURCES[ipaddress.ip_address(me["gateway"][version]).packed] = "gateway" + version


def receive():
    """The source address of a response identifies its probe."""
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
            # Only a response without an error shows that names are resolved.
            if protocol == 17 and data[start:start + 2] == b"\0\x35" and data[start + 11] & 15 == 0:
                answered["names" + name[-1]] += 1
        elif protocol != 6 or data[start + 13] & 0x04 == 0:
            answered[name] += 1


def execute(line):
    global phase, also
    command = json.loads(line)
    if command == "stop":
        return False
    if isinstance(command, dict) and "phase" in command:
        phase = command["phase"]
        sent.clear()
        answered.clear()
    if isinstance(command, dict) and "also" in command:
        also = command["also"]
    if isinstance(command, dict) and "become" in command:
        me.update(command["become"])
        update_sources()
        for one in open_connections:
            one.begin()
    return True


update_sources()
open_connections = list(connections())
per_round = sum(1 for _ in round_of_frames()) + len(open_connections)
sent.clear()
started, sent_total = time.monotonic(), 0
print(json.dumps("ready"), flush=True)
while True:
    if select.select([sys.stdin], [], [], 0)[0]:
        line = sys.stdin.readline()
        if not line:
            break
        goes_on = execute(line)
        receive()
        seconds = round(time.monotonic() - started, 2)
        print(json.dumps({"sent": sent, "answered": answered, "seconds": seconds}), flush=True)
        if not goes_on:
            break
    number += 1
    for one in round_of_frames():
        try:
            raw.send(one)
        except OSError:
            pass  # The link is being changed.
    for one in open_connections:
        one.send()
    receive()
    sent_total += per_round
    ahead = sent_total / me["perSecond"] - (time.monotonic() - started)
    if ahead > 0:
        time.sleep(ahead)
    elif ahead < -1:
        started, sent_total = time.monotonic(), 0  # A pause of the machine is not followed by a burst.
