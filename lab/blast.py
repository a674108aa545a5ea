"""
Sends small UDP packets of one device as fast as the machine can, round and round over the same flows.

Frames are made beforehand and passed to the kernel many at a time, so that the kernel is the bottleneck, not Python.
"send N" sends N packets, "flood" sends until the next line; then it prints how many were sent.
With "answers" it is the other end of such flows, and sends the responses.
"""
import ctypes
import ipaddress
import os
import select
import socket
import struct
import sys

from frames import frame, udp

interface, gateway_mac, mac, source, destination = sys.argv[1:6]
flow_count, is_answering = int(sys.argv[6]), sys.argv[7:] == ["answers"]
ports = range(1024, 61024)
far_port = 9
batch = 64


def flows():
    """They differ in port, then in destination. IPv4 does without UDP's checksum, so one frame serves all ports."""
    for index in range(-(-flow_count // len(ports))):
        to = str(ipaddress.ip_address(destination) + index)
        one = bytearray(frame(gateway_mac, mac, source, to, 17, udp(far_port, far_port, b"x" * 18)))
        one[40:42] = b"\0\0"
        near = slice(36, 38) if is_answering else slice(34, 36)
        for port in ports[: flow_count - index * len(ports)]:
            one[near] = struct.pack("!H", port)
            yield bytes(one)


def memory(pieces):
    whole = b"".join(pieces)
    return ctypes.create_string_buffer(whole, len(whole))


SOL_PACKET, PACKET_QDISC_BYPASS = 263, 20
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
raw.setsockopt(SOL_PACKET, PACKET_QDISC_BYPASS, 1)
raw.bind((interface, 0))
# One core for everything a packet causes: a measurement that wanders between cores compares their caches.
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

frames = list(flows())
frames *= -(-batch // len(frames))
length = len(frames[0])
data = memory(frames)
# struct iovec, and struct mmsghdr around it: no address (the socket is bound), no control data, no flags.
iovec, mmsghdr = "PN", "PIPNPNi4xI4x"
pieces = memory(struct.pack(iovec, ctypes.addressof(data) + at, length) for at in range(0, len(data), length))
step = struct.calcsize(iovec)
headers = memory(
    struct.pack(mmsghdr, 0, 0, ctypes.addressof(pieces) + at, 1, 0, 0, 0, 0) for at in range(0, len(pieces), step)
)
step = struct.calcsize(mmsghdr)
sendmmsg = ctypes.CDLL(None, use_errno=True).sendmmsg

index = 0


def send(count):
    """At most this many, and no further than the last frame; answers how many were taken."""
    global index
    count = min(count, len(frames) - index)
    taken = sendmmsg(raw.fileno(), ctypes.byref(headers, index * step), count, 0)
    if taken < 0:
        raise OSError(ctypes.get_errno(), "sendmmsg")
    index = (index + taken) % len(frames)
    return taken


print("ready", flush=True)
while words := sys.stdin.readline().split():
    sent = 0
    if words[0] == "flood":
        while not select.select([sys.stdin], [], [], 0)[0]:
            sent += send(batch)
        sys.stdin.readline()
    else:
        while sent < int(words[1]):
            sent += send(min(batch, int(words[1]) - sent))
    print(sent, flush=True)
