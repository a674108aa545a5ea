"""Sends frames as any device would: reads "interface mac source destination port" lines, answers "ok" after each batch.

The frames are made here because a sender of the lab must be able to have any MAC and any address; what happens to
them afterwards is the real kernel's business.
"""
import ipaddress
import socket
import struct
import sys

gateway_mac = bytes.fromhex(sys.argv[1].replace(":", ""))
sockets = {}


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF or 0xFFFF


def frame(mac, source, destination, port):
    src, dst = ipaddress.ip_address(source), ipaddress.ip_address(destination)
    payload = b"probe"
    length = 8 + len(payload)
    udp = struct.pack("!HHHH", 10000 + port % 50000, port, length, 0)
    pseudo = src.packed + dst.packed + (struct.pack("!BBH", 0, 17, length) if src.version == 4 else struct.pack("!IHBB", length, 0, 0, 17))
    udp = udp[:6] + struct.pack("!H", checksum(pseudo + udp + payload))
    if src.version == 4:
        head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + length, port, 0, 64, 17, 0, src.packed, dst.packed)
        head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
        kind = 0x0800
    else:
        head = struct.pack("!IHBB", 6 << 28, length, 17, 64) + src.packed + dst.packed
        kind = 0x86DD
    return gateway_mac + bytes.fromhex(mac.replace(":", "")) + struct.pack("!H", kind) + head + udp + payload


for line in sys.stdin:
    words = line.split()
    if not words:
        print("ok", flush=True)
        continue
    interface, mac, source, destination, port = words
    if interface not in sockets:
        raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        raw.bind((interface, 0))
        sockets[interface] = raw
    sockets[interface].send(frame(mac, source, destination, int(port)))
