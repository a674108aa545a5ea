"""
Echoes UDP and TCP on port 443 in both families, and remembers who came by which way; "report" is answered with it.
What it answers on UDP ports 444 and 445 cannot reach a device: it dies of age at the gateway, or is too big for the LAN.
"""
import json
import select
import socket
import sys
import time

from egress import way_of as usual_way_of

# Somewhere else than at the crossroads, people are known by their addresses.
way_of = (lambda address: address) if sys.argv[1:] == ["addresses"] else usual_way_of
ADDRESSES = {socket.AF_INET: "203.0.113.5", socket.AF_INET6: "2001:db8:f::1"}
datagrams = {}  # who → numbers, way → first and last moment since the last report
connections = {}  # socket → what came through it
everyone = []


def listening(family, kind, port=443):
    one = socket.socket(family, kind)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)  # SO_RCVBUFFORCE: a slow moment of ours is no packet lost.
    if family == socket.AF_INET6:
        one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    one.bind((ADDRESSES[family], port))  # Answers come from where the question went.
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
PROBE = 3  # IP_PMTUDISC_PROBE: never in fragments, whatever the way says it can carry.
big[0].setsockopt(socket.IPPROTO_IP, 10, PROBE)
big[1].setsockopt(socket.IPPROTO_IPV6, 23, PROBE)


def hear_datagram(ear):
    data, peer = ear.recvfrom(2048)
    words = data.split()
    if len(words) != 2:
        return
    now = time.monotonic()
    told = datagrams.setdefault(words[0].decode(), {"numbers": set(), "ways": {}})
    told["numbers"].add(int(words[1]))
    told["ways"].setdefault(way_of(peer[0]), {"first": now})["last"] = now
    try:
        ear.sendto(data, peer)
    except OSError:
        pass  # The way back may be gone; what was heard was heard.


def answer_in_vain(ear):
    data, peer = ear.recvfrom(2048)
    try:
        ear.sendto(data if ear in dying else data.ljust(1440), peer)
    except OSError:
        pass


def accept(ear):
    one, peer = ear.accept()
    one.setblocking(False)
    connections[one] = {"who": "", "way": way_of(peer[0]), "bytes": 0, "inOrder": True, "rest": b"", "next": 0}
    everyone.append(connections[one])


def hear_bytes(one):
    """The first line is a name, the following ones are numbers from 0 on."""
    told = connections[one]
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
    told["bytes"] += len(data)
    *lines, told["rest"] = (told["rest"] + data).split(b"\n")
    for line in lines:
        if told["who"] == "":
            told["who"] = line.decode(errors="replace")
        else:
            told["inOrder"] &= line == b"%d" % told["next"]
            told["next"] += 1
    try:
        one.send(data)
    except OSError:
        pass


def turn(wait):
    ready, _, _ = select.select([sys.stdin, *udp, *tcp, *dying, *big, *connections], [], [], wait)
    for one in ready:
        if one in udp:
            hear_datagram(one)
        elif one in dying or one in big:
            answer_in_vain(one)
        elif one in tcp:
            accept(one)
        elif one in connections:
            hear_bytes(one)
    return ready


def report():
    while any(one is not sys.stdin for one in turn(0)):
        pass  # What has already come counts.
    told = [{key: one[key] for key in ("who", "way", "bytes", "inOrder")} for one in everyone]
    numbers = {who: {"numbers": len(one["numbers"]), "ways": one["ways"]} for who, one in datagrams.items()}
    print(json.dumps({"udp": numbers, "tcp": told}), flush=True)
    for one in datagrams.values():
        one["ways"] = {}


print(json.dumps("ready"), flush=True)
while True:
    if sys.stdin in turn(None):
        if not sys.stdin.readline():
            break
        report()
