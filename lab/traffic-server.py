"""
Echoes UDP and TCP on port 443 in both families, and records which client came via which egress; "report" is answered with it.
Its responses on UDP ports 444 and 445 cannot reach a device: the TTL expires at the gateway, or they exceed the MTU of the LAN.
"""
import json
import select
import socket
import sys
import time

from egress import egress_of

# In topologies without fixed egress networks, the source address itself is reported.
egress_or_address = (lambda address: address) if sys.argv[1:] == ["addresses"] else egress_of
ADDRESSES = {socket.AF_INET: "203.0.113.5", socket.AF_INET6: "2001:db8:f::1"}
datagrams = {}  # sender → numbers, egress → first and last time since the last report
connections = {}  # socket → what was received on it
all_connections = []


def listening(family, kind, port=443):
    one = socket.socket(family, kind)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)  # SO_RCVBUFFORCE: a pause of this process loses no packet.
    if family == socket.AF_INET6:
        one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    one.bind((ADDRESSES[family], port))  # Responses have the address of the request as their source.
    if kind == socket.SOCK_STREAM:
        one.listen(1024)
    one.setblocking(False)
    return one


families = (socket.AF_INET, socket.AF_INET6)
udp = [listening(family, socket.SOCK_DGRAM) for family in families]
tcp = [listening(family, socket.SOCK_STREAM) for family in families]
dying = [listening(family, socket.SOCK_DGRAM, 444) for family in families]
big = [listening(family, socket.SOCK_DGRAM, 445) for family in families]
dying[0].setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 1)
dying[1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, 1)
PROBE = 3  # IP_PMTUDISC_PROBE: never fragmented, whatever the path MTU.
big[0].setsockopt(socket.IPPROTO_IP, 10, PROBE)
big[1].setsockopt(socket.IPPROTO_IPV6, 23, PROBE)


def receive_datagram(listener):
    data, peer = listener.recvfrom(2048)
    fields = data.split()
    if len(fields) != 2:
        return
    now = time.monotonic()
    record = datagrams.setdefault(fields[0].decode(), {"numbers": set(), "egresses": {}})
    record["numbers"].add(int(fields[1]))
    record["egresses"].setdefault(egress_or_address(peer[0]), {"first": now})["last"] = now
    try:
        listener.sendto(data, peer)
    except OSError:
        pass  # The return path may be gone; the datagram was received all the same.


def answer_in_vain(listener):
    data, peer = listener.recvfrom(2048)
    try:
        listener.sendto(data if listener in dying else data.ljust(1440), peer)
    except OSError:
        pass


def accept(listener):
    one, peer = listener.accept()
    one.setblocking(False)
    connections[one] = {"who": "", "egress": egress_or_address(peer[0]), "bytes": 0, "inOrder": True, "rest": b"", "next": 0}
    all_connections.append(connections[one])


def receive_bytes(one):
    """The first line is a name, the following ones are numbers from 0 on."""
    record = connections[one]
    try:
        data = one.recv(65536)
    except BlockingIOError:
        return
    except OSError:
        data = b""
    if not data:
        one.close()
        del connections[one]
        return
    record["bytes"] += len(data)
    *lines, record["rest"] = (record["rest"] + data).split(b"\n")
    for line in lines:
        if record["who"] == "":
            record["who"] = line.decode(errors="replace")
        else:
            record["inOrder"] &= line == b"%d" % record["next"]
            record["next"] += 1
    try:
        one.send(data)
    except OSError:
        pass


def turn(wait):
    ready, _, _ = select.select([sys.stdin, *udp, *tcp, *dying, *big, *connections], [], [], wait)
    for one in ready:
        if one in udp:
            receive_datagram(one)
        elif one in dying or one in big:
            answer_in_vain(one)
        elif one in tcp:
            accept(one)
        elif one in connections:
            receive_bytes(one)
    return ready


def report():
    while any(one is not sys.stdin for one in turn(0)):
        pass  # Packets that have already arrived count.
    record = [{key: one[key] for key in ("who", "egress", "bytes", "inOrder")} for one in all_connections]
    numbers = {sender: {"numbers": len(one["numbers"]), "egresses": one["egresses"]} for sender, one in datagrams.items()}
    print(json.dumps({"udp": numbers, "tcp": record}), flush=True)
    for one in datagrams.values():
        one["egresses"] = {}


print(json.dumps("ready"), flush=True)
while True:
    if sys.stdin in turn(None):
        if not sys.stdin.readline():
            break
        report()
