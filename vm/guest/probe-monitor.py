"""
Sends probes as a device, without pause, and counts which of them are seen outside.

One process has a socket in each namespace, and lives from before the guard is loaded until the power is off. It reports its counts
once a second, soon after each leak, and on request; the answer contains the id of the request, so that a count has a clear start and end.
Counts start at zero and are never reset.

A mark in the payload identifies a packet; it survives address translation and is quoted by ICMP errors. A packet with an address of the
device but no mark, or one that is not expected, is described as text.
"""
import json
import os
import select
import socket
import struct
import time

from ports import open_port

RATE = 160  # packets a second, of all probes together
FRESH = 4  # connections of a probe beside the long-lived one
MARK = b"portcullis-probe-"
DEVICE = {4: "10.0.0.2", 6: "fd00::2"}
TARGET = {4: "203.0.113.5", 6: "2001:db8:f::1"}
OUTER = {4: "198.51.100.1", 6: "2001:db8:1::1"}
ENDPOINT_PORT = 51820
TCP, UDP, ICMP, ICMP6 = 6, 17, 1, 58
KINDS = [("tcp", TCP, 80), ("udp", UDP, 9000), ("icmp", ICMP, 0), ("dns-udp", UDP, 53), ("dns-tcp", TCP, 53),
         ("dot", TCP, 853), ("quic", UDP, 443), ("stun", UDP, 3478)]
PROBES = [(f"{name}{family}", family, protocol, port) for family in (4, 6) for name, protocol, port in KINDS]


# The first socket with timestamps, and the end of the last one, make the kernel patch its own code, and each ping is both.
# An emulated kernel may crash on that, so this socket always has timestamps.
always = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
always.setsockopt(socket.SOL_SOCKET, 29, 1)  # SO_TIMESTAMP


def packed(family, address):
    return socket.inet_pton(socket.AF_INET if family == 4 else socket.AF_INET6, address)


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def body(protocol, port, name):
    mark = MARK + name.encode() + b";"
    if port == 53 and protocol == UDP:  # a query for the mark as a name
        label = mark.rstrip(b";") + b"-"
        return struct.pack("!6H", 1, 0x100, 1, 0, 0, 0) + bytes([len(label)]) + label + b"\0\0\x01\0\x01"
    if port == 3478:  # a binding request with the mark as its software
        text = mark + b"\0" * (-len(mark) % 4)
        return struct.pack("!2HI", 1, len(text) + 4, 0x2112A442) + b"transaction!" + struct.pack("!2H", 0x8022, len(mark)) + text
    return mark


def frame(name, family, protocol, port, index):
    """The index-th connection of a probe; the one at 0 is always the same."""
    source, target = packed(family, DEVICE[family]), packed(family, TARGET[family])
    payload = body(protocol, port, name)
    local = 20000 + 16 * index + index % 7
    if protocol == UDP:
        head = lambda check: struct.pack("!4H", local, port, 8 + len(payload), check)
    elif protocol == TCP:
        head = lambda check: struct.pack("!2H2I2B3H", local, port, 7, 0, 5 << 4, 2, 64240, check, 0)
    else:
        protocol = ICMP if family == 4 else ICMP6
        kind = 8 if family == 4 else 128
        head = lambda check: struct.pack("!2B3H", kind, 0, check, local, 1)
    length = len(head(0)) + len(payload)
    pseudo = b"" if protocol == ICMP else source + target + struct.pack("!IBBH", length, 0, 0, protocol)
    segment = head(checksum(pseudo + head(0) + payload) or 0xFFFF) + payload
    if family == 4:
        ip = lambda check: struct.pack("!2B3H2BH", 0x45, 0, 20 + length, 0, 0x4000, 64, protocol, check) + source + target
        packet, ether_type = ip(checksum(ip(0))) + segment, 0x0800
    else:
        packet, ether_type = struct.pack("!IHBB", 6 << 28, length, protocol, 64) + source + target + segment, 0x86DD
    return bytes.fromhex("020000000101" "020000000001") + struct.pack("!H", ether_type) + packet


def inside(namespace, work):
    """A socket stays in the namespace in which it was created."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    os.setns(there, os.CLONE_NEWNET)
    try:
        return work()
    finally:
        os.setns(home, os.CLONE_NEWNET)


def tap():
    capture = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    capture.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    capture.bind(("eth0", 3))
    capture.setblocking(False)
    return capture


def echoes():
    """Echo sockets at the far end of the tunnel, so that UDP flows become established."""
    answering = []
    for _, family, protocol, port in PROBES:
        if protocol == UDP:
            it = socket.socket(socket.AF_INET if family == 4 else socket.AF_INET6, socket.SOCK_DGRAM)
            it.bind((TARGET[family], port))
            it.setblocking(False)
            answering.append(it)
    return answering


sent = dict.fromkeys([name for name, *_ in PROBES], 0)
leaked = dict(sent)
answered = dict(sent)
strange = {}
seen = 0  # packets outside of any kind
total = 0  # of these, what should not be there


def describe(packet, family):
    source, target = (packet[12:16], packet[16:20]) if family == 4 else (packet[8:24], packet[24:40])
    name = lambda it: socket.inet_ntop(socket.AF_INET if family == 4 else socket.AF_INET6, it)
    return name(source), name(target), packet[9] if family == 4 else packet[6]


def is_expected(source, target, protocol, rest):
    """Packets that the gateway itself may send outside: its tunnel, and neighbour discovery."""
    if protocol == UDP and source in OUTER.values() and struct.unpack("!2H", rest[:4])[1] == ENDPOINT_PORT:
        return True
    # IPv6: router and neighbour discovery, and multicast listener reports.
    return protocol == ICMP6 and 133 <= rest[0] <= 137 or protocol in (0, ICMP6) and target == "ff02::16"


def inspect_outside(data):
    global seen, total
    ether_type = struct.unpack("!H", data[12:14])[0]
    if ether_type not in (0x0800, 0x86DD):
        return
    seen += 1
    index = data.find(MARK)
    if index >= 0:
        name = data[index + len(MARK):index + len(MARK) + 12].decode(errors="replace")
        for probe in leaked:
            if name.startswith(probe):
                leaked[probe] += 1
                total += 1
                return
    family = 4 if ether_type == 0x0800 else 6
    packet = data[14:]
    source, target, protocol = describe(packet, family)
    rest = packet[(packet[0] & 15) * 4:] if family == 4 else packet[40:]
    if not is_expected(source, target, protocol, rest):
        total += 1
        text = f"{source} > {target} protocol {protocol} {rest[:4].hex()}"
        if text in strange or len(strange) < 30:
            strange[text] = strange.get(text, 0) + 1


REPLIES = {(family, protocol, port): name for name, family, protocol, port in PROBES}


def inspect_inside(data):
    """Responses of the target at the device: they prove that its path is open, where it may be."""
    ether_type = struct.unpack("!H", data[12:14])[0]
    if ether_type not in (0x0800, 0x86DD):
        return
    family = 4 if ether_type == 0x0800 else 6
    source, _, protocol = describe(data[14:], family)
    if source != TARGET[family]:
        return
    rest = data[34:] if family == 4 else data[54:]
    port = struct.unpack("!H", rest[:2])[0] if protocol in (TCP, UDP) else 0
    name = REPLIES.get((family, ICMP if protocol == ICMP6 else protocol, port))
    if name:
        answered[name] += 1


def main():
    device = inside("device", tap)
    outside = inside("outside", tap)
    answering = inside("provider", echoes)
    frames = [[frame(*probe, index) for index in range(FRESH + 1)] for probe in PROBES]
    port = open_port("monitor")
    os.write(port, b'"ready"\n')
    open("/run/probe-monitor.ready", "w").close()
    poll = select.poll()
    by_number = {it.fileno(): it for it in [device, outside, *answering]}
    for number in [*by_number, port]:
        poll.register(number, select.POLLIN)
    received = b""
    turn, due, report_due, reported = 0, time.monotonic(), 0.0, 0

    def report(request_id):
        now = {"requestId": request_id, "uptime": time.monotonic(), "seen": seen, "sent": sent, "leaked": leaked, "answered": answered, "strange": strange}
        os.write(port, (json.dumps(now) + "\n").encode())

    while True:
        now = time.monotonic()
        if now >= due:
            probe = turn % len(PROBES)
            lap = turn // len(PROBES)
            # Every second packet belongs to the long-lived connection, the others begin new ones.
            try:
                device.send(frames[probe][0 if lap % 2 else 1 + lap // 2 % FRESH])
                sent[PROBES[probe][0]] += 1
            except OSError:
                pass  # The link does not exist yet, or no longer.
            turn += 1
            due = max(due + 1 / RATE, now - 0.1)
        if now >= report_due or total > reported and now >= report_due - 0.9:
            report(None)
            report_due, reported = now + 1, total
        for number, _ in poll.poll(max(0, (due - time.monotonic()) * 1000)):
            if number == port:
                received += os.read(port, 4096)
                *lines, received = received.split(b"\n")
                if lines:
                    drain(outside, inspect_outside)  # Packets that arrived before the request count.
                for line in lines:
                    report(json.loads(line))
            elif number == outside.fileno():
                drain(outside, inspect_outside)
            elif number == device.fileno():
                drain(device, inspect_inside)
            else:
                echo(by_number[number])


def drain(capture, inspect):
    for _ in range(256):
        try:
            data, (_, _, kind, *_) = capture.recvfrom(2048)
        except BlockingIOError:
            return
        if kind != 4:  # not what this side sends itself
            inspect(data)


def echo(it):
    try:
        it.sendto(*it.recvfrom(2048))
    except OSError:
        pass


main()
