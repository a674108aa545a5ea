"""
Records router advertisements that arrive on a wire: advertisements.py DEVICE. Each line it reads is answered with those since
the line before; the line "solicit" also requests one.
"""
import json
import select
import socket
import struct
import sys

device = sys.argv[1]
one = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)


def address(data):
    return socket.inet_ntop(socket.AF_INET6, data)


def parsed(message, sender):
    found = {"from": sender, "lifetime": struct.unpack_from("!H", message, 6)[0], "prefixes": [], "resolvers": []}
    rest = message[16:]
    while len(rest) >= 8 and rest[1] > 0:
        option, rest = rest[: 8 * rest[1]], rest[8 * rest[1] :]
        if option[0] == 3:
            valid, preferred = struct.unpack_from("!II", option, 4)
            prefix = f"{address(option[16:32])}/{option[2]}"
            found["prefixes"].append({"prefix": prefix, "valid": valid, "preferred": preferred, "flags": option[3]})
        if option[0] == 25:
            lifetime = struct.unpack_from("!I", option, 4)[0]
            for at in range(8, len(option), 16):
                found["resolvers"].append({"address": address(option[at : at + 16]), "lifetime": lifetime})
    return found


def arrived():
    while select.select([one], [], [], 0)[0]:
        message, (sender, *_) = one.recvfrom(4096)
        if message[0] == 134:
            yield parsed(message, sender)


print("ready", flush=True)
for line in sys.stdin:
    if line.strip() == "solicit":
        one.sendto(struct.pack("!BBHI", 133, 0, 0, 0), ("ff02::2", 0, 0, socket.if_nametoindex(device)))
    print(json.dumps(list(arrived())), flush=True)
