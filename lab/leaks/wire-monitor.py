"""
Looks at every packet that comes in on some wires of its host, and says of each whether it may be there: wire-monitor.py JSON,
see Watch in wires.ts. What was said by a device under watch is counted by probe, whoever sends it on, in whatever
packet; what is allowed is counted by what it is; everything else is a finding, and described.

Lines it reads, as JSON: {"phase": 3} forgets everything and begins a phase, {"outer": [[address, port]]} names the far
ends of tunnels, "report" changes nothing. Each is answered with what was seen.
"""
import collections
import ipaddress
import json
import re
import select
import socket
import struct
import sys

told = json.loads(sys.argv[1])
KINDS = ["tcp", "udp", "icmp", "dns-udp", "dns-tcp", "dot", "quic", "stun"]
HOW = {b"u": "dns-udp", b"g": "dns-udp", b"t": "dns-tcp", b"c": "dns-tcp"}
MARK = re.compile(rb"~leak-([a-z0-9]+)-([a-z-]+[46])~")
ALL, OUTGOING, STATISTICS = 3, 4, 6
NEIGHBOURS = {133, 134, 135, 136, 130, 131, 132, 143}  # Router and neighbour discovery, listener reports

packed = lambda address: ipaddress.ip_address(address).packed  # noqa: E731
PLACES, OWN = {}, set()
for person in told["devices"]:
    for version in ("4", "6"):
        for kind, where in zip([*KINDS, "portal"], [*person["to"][version], person["portal"][version]]):
            PLACES[packed(where)] = (person["name"], kind + version)
        OWN.update(packed(it) for it in person["own"])
HEALTH = {packed(it) for it in told["health"]}
ANSWERING = {(packed(one), packed(other)) for one, other in told.get("answering", [])}
RESOLVERS = {packed(it) for it in told["resolvers"]}
NAMES = {
    person["name"]: re.compile(
        b"p(\\d+)-\\d+-([ugtc])([46])" + re.escape(b"".join(bytes([len(it)]) + it for it in person["domain"].encode().split(b".")))
    )
    for person in told["devices"]
}
DOMAINS = {
    person["name"]: b"".join(bytes([len(it)]) + it for it in person["domain"].encode().split(b".")) for person in told["devices"]
}
LAN4, LAN6 = ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd00::/8")
outer, phase = set(), 0


def forget():
    global people, allowed, findings, samples, stale
    people = collections.defaultdict(collections.Counter)
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


def said_by(packet, version, protocol, sender, receiver, start):
    """Whose packet it is and which probe; the probe is None where it cannot be told."""
    for address in (receiver, sender):
        if address in PLACES:
            return PLACES[address]
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
                people[name]["by-the-gateway-" + HOW[one[2]] + one[3].decode()] += 1
            return name, HOW[one[2]] + one[3].decode()
    if protocol in (1, 58) and len(packet) > start + 8:
        quoted = headers(packet[start + 8:]) if packet[start] in ((3, 11, 12) if protocol == 1 else (1, 2, 3, 4)) else None
        if quoted is not None:
            for address in (quoted[3], quoted[2]):
                if address in PLACES:
                    return PLACES[address]
                if address in OWN:
                    return told["devices"][0]["name"], None
    if protocol == 58 and packet[start] in (135, 136) and packet[start + 8:start + 24] in PLACES:
        return PLACES[packet[start + 8:start + 24]]
    if sender in OWN or receiver in OWN:
        return told["devices"][0]["name"], None
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
            return "addresses"
    if protocol in (1, 58) and packet[start] not in (0, 8, 128, 129):
        # A server that is gone, or whose client is: said about a packet that was allowed itself.
        quoted = headers(packet[start + 8:])
        if quoted is not None and quoted[1] == 17 and is_allowed(packet[start + 8:], *quoted) == "tunnels":
            return "tunnels"
    if protocol in (1, 58) and packet[start] in (8, 128) and receiver in HEALTH:
        return "is the way alive"
    if protocol in (6, 17) and receiver in RESOLVERS and not is_private(sender):
        return "the gateway's own names"
    return None


def look(wire, data):
    global stale
    kind = data[12:14]
    if kind == b"\x08\x06":
        # Who looks for somebody says on whose behalf.
        place = PLACES.get(data[38:42])
        if place is not None:
            people[place[0]][place[1]] += 1
            samples.setdefault("%s %s" % place, "who has it?")
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
    whose = said_by(packet, *parsed)
    if whose is not None and whose[1] == "before":
        stale += 1
    elif whose is not None and whose[1] is not None:
        people[whose[0]][whose[1]] += 1
        samples.setdefault("%s %s" % whose, describe(packet, *parsed))
    elif whose is not None or is_private(parsed[2]):
        find("of %s: " % (whose[0] if whose else "the LAN"), packet, parsed)
    elif (what := is_allowed(packet, *parsed)) is not None:
        allowed[what] += 1
    else:
        find("", packet, parsed)


def find(whose, packet, parsed):
    """By the two ends; how the first of them looked is told besides."""
    ends = "%s%s → %s" % (whose, ipaddress.ip_address(parsed[2]), ipaddress.ip_address(parsed[3]))
    samples.setdefault(ends, describe(packet, *parsed))
    findings["%s, as %s" % (ends, samples[ends])] += 1


def listening(wire):
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
    one.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
    one.bind((wire, ALL))
    one.setblocking(False)
    return one


ears = {listening(wire): wire for wire in told["wires"]}
missed = 0


def drain(limit):
    for ear, wire in ears.items():
        for _ in range(limit):
            try:
                data, (_, _, direction, *_) = ear.recvfrom(2048)
            except OSError:
                break  # Nothing is left, or the wire was cut.
            if direction != OUTGOING:
                look(wire, data)


print(json.dumps("watching"), flush=True)
while True:
    ready, _, _ = select.select([*ears, sys.stdin], [], [])
    # What came before the line belongs to its answer.
    drain(10000000 if sys.stdin in ready else 1000)
    if sys.stdin in ready:
        line = sys.stdin.readline()
        if not line:
            break
        words = json.loads(line)
        for ear in ears:
            missed += struct.unpack("II", ear.getsockopt(263, STATISTICS, 8))[1]  # SOL_PACKET
        if isinstance(words, dict) and "outer" in words:
            outer = {(packed(address), port) for address, port in words["outer"]}
        answer = {"devices": people, "allowed": allowed, "findings": findings, "samples": samples, "stale": stale, "missed": missed}
        print(json.dumps(answer), flush=True)
        if isinstance(words, dict) and "phase" in words:
            phase = words["phase"]
            forget()
