"""
Sends forged packets on the gateway's own wire, repeatedly: external-sender.py JSON, with interface, mac and gatewayMac. Each line it
reads is a list of packets (Forged in senders.ts) that replaces the previous one.
"""
import json
import os
import socket
import struct
import sys

from repeat import repeat

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import checksum, frame, ping, udp  # noqa: E402

me = json.loads(sys.argv[1])
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
raw.bind((me["interface"], 0))


def made(one):
    version = 6 if ":" in one["from"] else 4
    echo = "port" not in one
    protocol = (1 if version == 4 else 58) if echo else 17
    payload = ping(version, 7, 7) if echo else udp(one.get("fromPort", 7777), one["port"], b"unsolicited datagram!")
    whole = bytearray(frame(me["gatewayMac"], me["mac"], one["from"], one["to"], protocol, payload))
    service = one["sign"] << 2
    if version == 6:
        whole[14], whole[15] = 0x60 | service >> 4, (service & 15) << 4
        whole[21] = one.get("hops", 64)
    else:
        whole[15], whole[22] = service, one.get("hops", 64)
        whole[24:26] = b"\0\0"
        whole[24:26] = struct.pack("!H", checksum(bytes(whole[14:34])))
    return bytes(whole)


repeat(made, raw.send)
