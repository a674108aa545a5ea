"""
Sends one packet of each protocol to addresses: protocol-probes.py. Each line holds addresses; each is probed by TCP, UDP, ICMP, DNS
over both, DoT, QUIC and STUN, and the line is answered with the number of kinds.
"""
import errno
import itertools
import json
import socket
import struct
import sys

ports = {"tcp": (443, 53, 853), "udp": (9999, 53, 443, 3478)}
query = b"\x13\x37\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x05knock\x03lab\x00\x00\x01\x00\x01"


def echo(family):
    head = struct.pack("!BBHHH", 8 if family == socket.AF_INET else 128, 0, 0, next(flows) & 0xFFFF, 1)
    total = sum(struct.unpack("!4H", head))
    total = (total & 0xFFFF) + (total >> 16)
    # The kernel computes the checksum for IPv6.
    return head[:2] + struct.pack("!H", ~total & 0xFFFF) + head[4:]


def probe(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for port in ports["tcp"]:
        one = socket.socket(family, socket.SOCK_STREAM)
        one.setblocking(False)
        opened.append(one)
        if one.connect_ex((address, port)) not in (0, errno.EINPROGRESS):
            raise OSError(f"{address} is unreachable")
    for port in ports["udp"]:
        with socket.socket(family, socket.SOCK_DGRAM) as one:
            one.sendto(query, (address, port))
    protocol = socket.IPPROTO_ICMP if family == socket.AF_INET else socket.getprotobyname("ipv6-icmp")
    with socket.socket(family, socket.SOCK_RAW, protocol) as one:
        one.sendto(echo(family), (address, 0))


opened, flows = [], itertools.count(1)
print("ready", flush=True)
for line in sys.stdin:
    for one in opened:
        one.close()
    opened.clear()
    for address in line.split():
        probe(address)
    print(json.dumps(sum(map(len, ports.values())) + 1), flush=True)
