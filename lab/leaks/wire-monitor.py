"""
Classifies every packet that arrives on some interfaces of its host: wire-monitor.py JSON, see WireMonitorOptions in
wire-monitor.ts. Packets of a monitored device are counted by probe, whichever host forwards them and in whatever packet they are
quoted; allowed packets are counted by kind; everything else is a finding, and described.

Lines it reads, as JSON: {"phase": 3} clears all counts and begins a phase, {"outer": [[address, port]]} sets the far ends of
tunnels, "report" changes nothing. Each is answered with what was seen.
"""
import collections
import ipaddress
import json
import re
import select
import socket
import struct
import sys

options = json.loads(sys.argv[1])
KINDS = ["tcp", "udp", "icmp", "dns-udp", "dns-tcp", "dot", "quic", "stun"]
HOW = {b"u": "dns-udp", b"g": "dns-udp", b"t": "dns-tcp", b"c": "dns-tcp"}
MARK = re.compile(rb"~leak-([a-z0-9]+)-([a-z-]+[46])~")
ALL, OUTGOING, STATISTICS = 3, 4, 6
NEIGHBOURS = {133, 134, 135, 136, 130, 131, 132, 143}  # Router and neighbour discovery, listener reports

packed = lambda address: ipaddress.ip_address(address).packed  # noqa: E731
DESTINATIONS, OWN = {}, set()
for device in options["devices"]:
    for version in ("4", "6"):
        for kind, where in zip([*KINDS, "portal"], [*device["to"][version], device["portal"][version]]):
            DESTINATIONS[packed(where)] = (device["name"], kind + version)
        OWN.update(packed(it) for it in device["own"])
HEALTH = {packed(it) for it in options["health"]}
ANSWERING = {(packed(one), packed(other)) for one, other in options.get("answering", [])}
RESOLVERS = {packed(it) for it in options["resolvers"]}
NAMES = {
    device["name"]: re.compile(
        b"p(\\d+)-\\d+-([ugtc])([46])" + re.escape(b"".join(bytes([len(it)]) + it for it in device["domain"].encode().split(b".")))
    )
    for device in options["devices"]
}
DOMAINS = {
    device["name"]: b"".join(bytes([len(it)]) + it for it in device["domain"].encode().split(b".")) for device in options["devices"]
}
LAN4, LAN6 = ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd00::/8")
outer, phase = set(), 0


def forget():
    global devices, allowed, findings, samples, stale
    devices = collections.defaultdict(collections.Counter)
    allowed, findings, samples, stale = collections.Counter(), collections.Counter(), {}, 0


forget()


def headers(packet):
    """Version, protocol, sender, receiver and where the rest begins; None if it is no IP."""
    if len(packet) >= 20 and packet[0] >> 4 == 4:
        return 4, packet[9], packet[12:16], packet[16:20], 4 * (packet[0] & 15)
    if len(packet) >= 40 and packet[0] >> 4 == 6:
        protocol, start = packet[6], 40
        while protocol in (0, 43, 60) and len(packet) > start + 8:
            protocol, start = packet[start], start + 8 * (packet[start + 1] + 1)
        return 6, protocol, packet[8:24], packet[24:40], start
    return None


def is_private(address):
    one = ipaddress.ip_address(address)
    return one in (LAN4 if one.version == 4 else LAN6)


def owner_of(packet, version, protocol, sender, receiver, start):
    """The device and the probe of a packet; the probe is None where it is unknown."""
    for address in (receiver, sender):
        if address in DESTINATIONS:
            return DESTINATIONS[address]
    if (sender, receiver) in ANSWERING and is_answer(packet, protocol, start):
        return None
    if (found := MARK.search(packet)) is not None:
        return found[1].decode(), found[2].decode()
    rest = packet[start:].lower()
    for name, domain in DOMAINS.items():
        if domain in rest:
            one = NAMES[name].search(rest)
            if one is None:
                return name, None
            if int(one[1]) < phase:
                return name, "before"
            if one[2] in b"gc":
                devices[name]["by-the-gateway-" + HOW[one[2]] + one[3].decode()] += 1
            return name, HOW[one[2]] + one[3].decode()
    if protocol in (1, 58) and len(packet) > start + 8:
        quoted = headers(packet[start + 8:]) if packet[start] in ((3, 11, 12) if protocol == 1 else (1, 2, 3, 4)) else None
        if quoted is not None:
            for address in (quoted[3], quoted[2]):
                if address in DESTINATIONS:
                    return DESTINATIONS[address]
                if address in OWN:
                    return options["devices"][0]["name"], None
    if protocol == 58 and packet[start] in (135, 136) and packet[start + 8:start + 24] in DESTINATIONS:
        return DESTINATIONS[packet[start + 8:start + 24]]
    if sender in OWN or receiver in OWN:
        return options["devices"][0]["name"], None
    return None


def is_answer(packet, protocol, start):
    return protocol == 6 and packet[start + 13] & 0x04 != 0 or protocol in (1, 58) and packet[start] in (0, 129)


def describe(packet, version, protocol, sender, receiver, start):
    ports = "%d→%d" % struct.unpack_from("!HH", packet, start) if protocol in (6, 17) and len(packet) >= start + 4 else ""
    if protocol == 6 and len(packet) > start + 13:
        ports += " flags %02x" % packet[start + 13]
    if protocol in (1, 58) and len(packet) > start + 1:
        ports = "type %d code %d" % (packet[start], packet[start + 1])
        quoted = headers(packet[start + 8:])
        if quoted is not None and packet[start] not in (8, 0, 128, 129):
            ports += " about %s" % describe(packet[start + 8:], *quoted)
    return "%s → %s protocol %d %s" % (ipaddress.ip_address(sender), ipaddress.ip_address(receiver), protocol, ports)


def is_allowed(packet, version, protocol, sender, receiver, start):
    if (sender, receiver) in ANSWERING and is_answer(packet, protocol, start):
        return "answers of servers"
    if version == 4 and protocol == 2:
        return "neighbours"
    if protocol == 58 and packet[start] in NEIGHBOURS:
        return "neighbours"
    if protocol == 17:
        source, port = struct.unpack_from("!HH", packet, start)
        if (receiver, port) in outer or (sender, source) in outer:
            return "tunnels"
        if (source, port) in ((68, 67), (546, 547)):
            return "DHCP"
    if protocol in (1, 58) and packet[start] not in (0, 8, 128, 129):
        # An ICMP error of a server or client that is gone, about an allowed packet.
        quoted = headers(packet[start + 8:])
        if quoted is not None and quoted[1] == 17 and is_allowed(packet[start + 8:], *quoted) == "tunnels":
            return "tunnels"
    if protocol in (1, 58) and packet[start] in (8, 128) and receiver in HEALTH:
        return "health probes"
    if protocol in (6, 17) and receiver in RESOLVERS and not is_private(sender):
        return "queries of the gateway"
    return None


def inspect(wire, data):
    global stale
    kind = data[12:14]
    if kind == b"\x08\x06":
        # An ARP request contains the address it is sent for.
        destination = DESTINATIONS.get(data[38:42])
        if destination is not None:
            devices[destination[0]][destination[1]] += 1
            samples.setdefault("%s %s" % destination, "ARP request")
        elif data[28:32] in OWN or data[38:42] in OWN:
            findings["of the LAN: who has %s? tell %s" % tuple(map(ipaddress.ip_address, (data[38:42], data[28:32])))] += 1
        else:
            allowed["neighbours"] += 1
        return
    packet = data[14:]
    parsed = headers(packet) if kind in (b"\x08\x00", b"\x86\xdd") else None
    if parsed is None:
        findings["frame of type %s" % kind.hex()] += 1
        return
    owner = owner_of(packet, *parsed)
    if owner is not None and owner[1] == "before":
        stale += 1
    elif owner is not None and owner[1] is not None:
        devices[owner[0]][owner[1]] += 1
        samples.setdefault("%s %s" % owner, describe(packet, *parsed))
    elif owner is not None or is_private(parsed[2]):
        find("of %s: " % (owner[0] if owner else "the LAN"), packet, parsed)
    elif (what := is_allowed(packet, *parsed)) is not None:
        allowed[what] += 1
    else:
        find("", packet, parsed)


def find(owner, packet, parsed):
    """Counted by sender and receiver; the first packet is described."""
    ends = "%s%s → %s" % (owner, ipaddress.ip_address(parsed[2]), ipaddress.ip_address(parsed[3]))
    samples.setdefault(ends, describe(packet, *parsed))
    findings["%s, as %s" % (ends, samples[ends])] += 1


def listening(wire):
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
    one.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
    one.bind((wire, ALL))
    one.setblocking(False)
    return one


captures = {listening(wire): wire for wire in options["wires"]}
missed = 0


def drain(limit):
    for capture, wire in captures.items():
        for _ in range(limit):
            try:
                data, (_, _, direction, *_) = capture.recvfrom(2048)
            except OSError:
                break  # Nothing is left, or the wire was cut.
            if direction != OUTGOING:
                inspect(wire, data)


print(json.dumps("ready"), flush=True)
while True:
    ready, _, _ = select.select([*captures, sys.stdin], [], [])
    # Packets that arrived before the line belong to its answer.
    drain(10000000 if sys.stdin in ready else 1000)
    if sys.stdin in ready:
        line = sys.stdin.readline()
        if not line:
            break
        command = json.loads(line)
        for capture in captures:
            missed += struct.unpack("II", capture.getsockopt(263, STATISTICS, 8))[1]  # SOL_PACKET
        if isinstance(command, dict) and "outer" in command:
            outer = {(packed(address), port) for address, port in command["outer"]}
        answer = {"devices": devices, "allowed": allowed, "findings": findings, "samples": samples, "stale": stale, "missed": missed}
        print(json.dumps(answer), flush=True)
        if isinstance(command, dict) and "phase" in command:
            phase = command["phase"]
            forget()
