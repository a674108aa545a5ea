"""Frames as any device would send them: any MAC, any address, in both families."""
import ipaddress
import struct


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(gateway_mac, mac, source, destination, protocol, payload):
    """payload(pseudo) gives the transport packet; pseudo is what its checksum also covers."""
    src, dst = ipaddress.ip_address(source), ipaddress.ip_address(destination)
    ethernet = bytes.fromhex(gateway_mac.replace(":", "")) + bytes.fromhex(mac.replace(":", ""))

    def pseudo(length):
        tail = struct.pack("!BBH", 0, protocol, length) if src.version == 4 else struct.pack("!IHBB", length, 0, 0, protocol)
        return src.packed + dst.packed + tail

    body = payload(pseudo)
    if src.version == 4:
        head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(body), 0, 0, 64, protocol, 0, src.packed, dst.packed)
        head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
        return ethernet + b"\x08\x00" + head + body
    return ethernet + b"\x86\xdd" + struct.pack("!IHBB", 6 << 28, len(body), protocol, 64) + src.packed + dst.packed + body


def udp(source_port, port, data=b"probe"):
    def payload(pseudo):
        head = struct.pack("!HHHH", source_port, port, 8 + len(data), 0)
        return head[:6] + struct.pack("!H", checksum(pseudo(8 + len(data)) + head + data) or 0xFFFF) + data

    return payload


def segment(source_port, port, flags):
    def payload(pseudo):
        head = struct.pack("!HHIIBBHHH", source_port, port, 1, 1, 0x50, flags, 64240, 0, 0)
        return head[:16] + struct.pack("!H", checksum(pseudo(20) + head)) + head[18:]

    return payload


def ping(version, number, sequence):
    def payload(pseudo):
        kind = 8 if version == 4 else 128
        head = struct.pack("!BBHHH", kind, 0, 0, number & 0xFFFF, sequence & 0xFFFF) + b"probe"
        covered = head if version == 4 else pseudo(len(head)) + head
        return head[:2] + struct.pack("!H", checksum(covered)) + head[4:]

    return payload
