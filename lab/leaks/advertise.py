"""
Sends router advertisements on a wire, once at the start and once for each line it reads: advertise.py DEVICE. They are as
attractive as possible: high preference, a prefix for addresses, and a route to everything.
"""
import json
import socket
import struct
import sys

one = socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58)
one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, sys.argv[1].encode())
one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
prefix = socket.inet_pton(socket.AF_INET6, "2001:db8:aa::")
HIGH = 0x08


def advertise():
    head = struct.pack("!BBHBBHII", 134, 0, 0, 64, HIGH, 1800, 0, 0)
    option = struct.pack("!BBBBIII", 3, 4, 64, 0xC0, 3600, 3600, 0) + prefix
    route = struct.pack("!BBBBI", 24, 2, 3, HIGH, 1800) + b"\x20" + b"\0" * 7  # 2000::/3
    one.sendto(head + option + route, ("ff02::1", 0, 0, socket.if_nametoindex(sys.argv[1])))


advertise()
print(json.dumps("advertised"), flush=True)
for _ in sys.stdin:
    advertise()
    print(json.dumps("advertised"), flush=True)
