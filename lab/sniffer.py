"""
Captures DNS queries on every interface of its host: packets that arrive for port 53, 853 or 443. Each line it reads is answered
with what was captured since the previous line: by interface, sender, receiver, protocol, port and queried domain.
Of the name only its last labels count (sniffer.py LABELS); encrypted queries have none.
"""
import collections
import ctypes
import json
import select
import socket
import struct
import sys

LABELS = int(sys.argv[1])
PLAIN, PORTS = 53, (53, 853, 443)
OUTGOING, ALL = 4, 3  # PACKET_OUTGOING, ETH_P_ALL
STATISTICS = 6  # PACKET_STATISTICS


def step(code, jump_true, jump_false, value):
    return struct.pack("HBBI", code, jump_true, jump_false, value)


def query_filter():
    """A BPF filter, so that the kernel drops other packets. TCP and UDP have the port at the same offset."""
    word, byte, index, port, equal, take = 0x28, 0x30, 0xB1, 0x48, 0x15, 0x06
    return b"".join([
        step(word, 0, 0, 12),          # The type of the frame
        step(equal, 0, 5, 0x0800),
        step(byte, 0, 0, 23),          # Its protocol, if IPv4
        step(equal, 1, 0, 17),
        step(equal, 0, 11, 6),
        step(index, 0, 0, 14),         # The length of its header
        step(0x05, 0, 0, 5),           # On to the port
        step(equal, 0, 8, 0x86DD),
        step(byte, 0, 0, 20),          # Its protocol, if IPv6
        step(equal, 1, 0, 17),
        step(equal, 0, 5, 6),
        step(0x01, 0, 0, 40),          # The length of its header is always this
        step(port, 0, 0, 16),
        step(equal, 3, 0, PORTS[0]),
        step(equal, 2, 0, PORTS[1]),
        step(equal, 1, 0, PORTS[2]),
        step(take, 0, 0, 0),
        step(take, 0, 0, 1024),
    ])


def listening():
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
    program = query_filter()
    memory = ctypes.create_string_buffer(program)
    one.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HP", len(program) // 8, ctypes.addressof(memory)))  # SO_ATTACH_FILTER
    one.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
    one.setblocking(False)
    return one


def domain(message):
    """The last labels of the queried name; None if it is no query."""
    if len(message) < 17 or message[2] & 0x80:
        return None
    labels, index = [], 12
    while index < len(message) and 0 < message[index] < 64:
        labels.append(message[index + 1:index + 1 + message[index]])
        index += 1 + message[index]
    return b".".join(labels[-LABELS:]).decode("latin-1").lower(), b".".join(labels).lower()


def inspect(frame, wire):
    version = 4 if frame[12:14] == b"\x08\x00" else 6
    if version == 4:
        start, protocol = 14 + 4 * (frame[14] & 15), frame[23]
        sender, receiver = (socket.inet_ntop(socket.AF_INET, frame[at:at + 4]) for at in (26, 30))
    else:
        start, protocol = 54, frame[20]
        sender, receiver = (socket.inet_ntop(socket.AF_INET6, frame[at:at + 16]) for at in (22, 38))
    port = struct.unpack_from("!H", frame, start + 2)[0]
    kind, queried = ("udp", None) if protocol == 17 else ("tcp", None)
    if port == PLAIN:
        queried = domain(frame[start + 8:] if kind == "udp" else frame[start + 4 * (frame[start + 12] >> 4) + 2:])
    key = (wire, sender, receiver, kind, port, queried[0] if queried else None)
    packets[key] += 1
    if queried:
        names[key].add(hash(queried[1]))


capture = listening()
packets, names = collections.Counter(), collections.defaultdict(set)
missed = 0
print(json.dumps("ready"), flush=True)
while True:
    ready, _, _ = select.select([capture, sys.stdin], [], [])
    # Packets that arrived before the line belong to its answer.
    for _ in range(1000000 if sys.stdin in ready else 1000):
        try:
            frame, (wire, _, direction, *_) = capture.recvfrom(2048)
        except BlockingIOError:
            break
        if direction != OUTGOING and wire != "lo":
            inspect(frame, wire)
    if sys.stdin in ready:
        if not sys.stdin.readline():
            break
        missed += struct.unpack("II", capture.getsockopt(263, STATISTICS, 8))[1]  # SOL_PACKET
        fields = ("wire", "from", "to", "protocol", "port", "domain")
        seen = [{**dict(zip(fields, key)), "packets": many, "names": len(names[key])} for key, many in packets.items()]
        print(json.dumps({"missed": missed, "seen": seen}), flush=True)
        packets.clear()
        names.clear()
