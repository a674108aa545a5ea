"""
Programs on the gateway that send unwanted datagrams, repeatedly. Each line it reads is a list of them (Program in senders.ts) that
replaces the previous one.
"""
import os
import socket
import struct

from repeat import repeat


def opened(one):
    family = socket.AF_INET6 if ":" in one["to"] else socket.AF_INET
    # The user of a socket is set when it is created.
    os.seteuid(one.get("user", 0))
    it = socket.socket(family, socket.SOCK_DGRAM)
    os.seteuid(0)
    it.setblocking(False)
    if "mark" in one:
        it.setsockopt(socket.SOL_SOCKET, 36, struct.pack("I", one["mark"]))  # SO_MARK
    if "from" in one:
        it.setsockopt(*((socket.IPPROTO_IP, 15) if family == socket.AF_INET else (socket.IPPROTO_IPV6, 78)), 1)  # FREEBIND
        it.bind((one["from"], 0))
    payload = "~leak-%s-udp%d~" % (one["name"], 4 if family == socket.AF_INET else 6)
    return it, payload.encode(), (one["to"], one["port"])


repeat(opened, lambda it: it[0].sendto(it[1], it[2]), lambda it: it[0].close())
