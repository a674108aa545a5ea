"""
The server that probes are sent to, `probe-server.py JSON`: every kind of probe has its own address. It echoes what it receives; some
responses exceed the MTU of the LAN behind the gateway, and the TTL of some expires at the gateway. Each line it reads makes it
reset all connections.
"""
import json
import select
import socket
import struct
import sys

KINDS = ["tcp", "udp", "icmp", "dns-udp", "dns-tcp", "dot", "quic", "stun"]
TCP = {"tcp": 7007, "dns-tcp": 53, "dot": 853}
UDP = {"udp": (7008, 7009, 7010), "dns-udp": (53,), "quic": (443,), "stun": (3478,)}
TOO_BIG, TOO_OLD = 7009, 7010
HOPS_TO_GATEWAY, BIGGER_THAN_LAN = 3, 1285
PROBE = 3  # IP_PMTUDISC_PROBE: never fragmented, whatever the path MTU.


def opened(address, kind, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    one = socket.socket(family, kind)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.setsockopt(socket.SOL_SOCKET, 33, 4 << 20)  # SO_RCVBUFFORCE
    # The whole network is local; no interface has the addresses.
    one.setsockopt(*((socket.IPPROTO_IP, 15) if family == socket.AF_INET else (socket.IPPROTO_IPV6, 78)), 1)  # FREEBIND
    one.bind((address, port))
    if kind == socket.SOCK_STREAM:
        one.listen(1024)
    elif port == TOO_OLD:
        level, option = (socket.IPPROTO_IP, socket.IP_TTL) if family == socket.AF_INET else (socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS)
        one.setsockopt(level, option, HOPS_TO_GATEWAY)
    elif port == TOO_BIG:
        one.setsockopt(*((socket.IPPROTO_IP, 10) if family == socket.AF_INET else (socket.IPPROTO_IPV6, 23)), PROBE)
    one.setblocking(False)
    return one


poll = select.epoll()
listeners, datagrams, streams = {}, {}, {}
for addresses in json.loads(sys.argv[1]):
    for kind, address in zip(KINDS, addresses):
        if kind in TCP:
            one = opened(address, socket.SOCK_STREAM, TCP[kind])
            listeners[one.fileno()] = one
            poll.register(one, select.EPOLLIN)
        for port in UDP.get(kind, ()):
            one = opened(address, socket.SOCK_DGRAM, port)
            datagrams[one.fileno()] = (one, port)
            poll.register(one, select.EPOLLIN)
poll.register(sys.stdin, select.EPOLLIN)
print(json.dumps("ready"), flush=True)


def echo(one, port):
    for _ in range(64):
        try:
            data, peer = one.recvfrom(2048)
            one.sendto(data.ljust(BIGGER_THAN_LAN) if port == TOO_BIG else data, peer)
        except OSError:
            return


def receive(number):
    one = streams[number]
    try:
        data = one.recv(65536)
        if data:
            one.send(data)
            return
    except BlockingIOError:
        return
    except OSError:
        pass
    end(number)


def end(number):
    """With a reset, so that nothing is retransmitted to a client that is gone."""
    poll.unregister(number)
    streams.pop(number).close()


while True:
    for number, _ in poll.poll():
        if number in datagrams:
            echo(*datagrams[number])
        elif number in listeners:
            try:
                one, _ = listeners[number].accept()
            except OSError:
                continue
            # A client that vanished is not waited for.
            one.setsockopt(socket.IPPROTO_TCP, 18, 10000)  # TCP_USER_TIMEOUT
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.setblocking(False)
            streams[one.fileno()] = one
            poll.register(one, select.EPOLLIN)
        elif number in streams:
            receive(number)
        elif number != sys.stdin.fileno():
            continue  # It was ended a moment ago.
        elif not sys.stdin.readline():
            sys.exit()
        else:
            for each in list(streams):
                end(each)
            print(json.dumps("closed"), flush=True)
