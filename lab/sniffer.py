"""
Sees who asks for names on every wire of its host: packets that arrive for port 53, 853 or 443. Each line it reads is
answered with what was seen since the line before: by wire, sender, receiver, protocol, port and the domain asked for.
Of the name only its last labels count (sniffer.py LABELS); what is encrypted has none.
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


def only_questions():
    """Most packets are none of ours; the kernel drops them before they cost us anything. Ports of TCP and UDP are at one place."""
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
    program = only_questions()
    memory = ctypes.create_string_buffer(program)
    one.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HP", len(program) // 8, ctypes.addressof(memory)))  # SO_ATTACH_FILTER
    one.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
    one.setblocking(False)
    return one


def domain(message):
    """The last labels of the name asked for; None if it is no question."""
    if len(message) < 17 or message[2] & 0x80:
        return None
    labels, place = [], 12
    while place < len(message) and 0 < message[place] < 64:
        labels.append(message[place + 1:place + 1 + message[place]])
        place += 1 + message[place]
    return b".".join(labels[-LABELS:]).decode("latin-1").lower(), b".".join(labels).lower()


def look(frame, wire):
    version = 4 if frame[12:14] == b"\x08\x00" else 6
    if version == 4:
        start, protocol = 14 + 4 * (frame[14] & 15), frame[23]
        sender, receiver = (socket.inet_ntop(socket.AF_INET, frame[at:at + 4]) for at in (26, 30))
    else:
        start, protocol = 54, frame[20]
        sender, receiver = (socket.inet_ntop(socket.AF_INET6, frame[at:at + 16]) for at in (22, 38))
    port = struct.unpack_from("!H", frame, start + 2)[0]
    kind, asked = ("udp", None) if protocol == 17 else ("tcp", None)
    if port == PLAIN:
        asked = domain(frame[start + 8:] if kind == "udp" else frame[start + 4 * (frame[start + 12] >> 4) + 2:])
    key = (wire, sender, receiver, kind, port, asked[0] if asked else None)
    packets[key] += 1
    if asked:
        names[key].add(hash(asked[1]))


ear = listening()
packets, names = collections.Counter(), collections.defaultdict(set)
missed = 0
print(json.dumps("ready"), flush=True)
while True:
    ready, _, _ = select.select([ear, sys.stdin], [], [])
    # What came before the line belongs to its answer.
    for _ in range(1000000 if sys.stdin in ready else 1000):
        try:
            frame, (wire, _, direction, *_) = ear.recvfrom(2048)
        except BlockingIOError:
            break
        if direction != OUTGOING and wire != "lo":
            look(frame, wire)
    if sys.stdin in ready:
        if not sys.stdin.readline():
            break
        missed += struct.unpack("II", ear.getsockopt(263, STATISTICS, 8))[1]  # SOL_PACKET
        fields = ("wire", "from", "to", "protocol", "port", "domain")
        seen = [{**dict(zip(fields, key)), "packets": many, "names": len(names[key])} for key, many in packets.items()]
        print(json.dumps({"missed": missed, "seen": seen}), flush=True)
        packets.clear()
        names.clear()
