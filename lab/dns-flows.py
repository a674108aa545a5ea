"""
Sends DNS queries in two long-lived flows: UDP from one port, and one TCP connection: dns-flows.py SERVER. Each line is a name,
queried in both at once, and answered with the results: an rcode, "silence", or "reset". A connection that was reset is opened
again with the next line; the UDP port stays.
"""
import json
import socket
import struct
import sys

server = sys.argv[1]
family = socket.AF_INET6 if ":" in server else socket.AF_INET
timeout_sec = 1.5
number = 0


def connect(kind):
    one = socket.socket(family, kind)
    one.settimeout(timeout_sec)
    one.connect((server, 53))
    return one


def message(name):
    global number
    number = (number + 1) & 0xFFFF
    labels = b"".join(bytes([len(it)]) + it for it in name.encode().split(b".") if it)
    return struct.pack("!HHHHHH", number, 0x0100, 1, 0, 0, 0) + labels + b"\0\0\1\0\1"


def by_udp(request):
    datagrams.send(request)
    while True:
        response = datagrams.recv(4096)
        if response[:2] == request[:2]:
            return response


def by_tcp(request):
    global connection
    connection = connection or connect(socket.SOCK_STREAM)
    connection.sendall(struct.pack("!H", len(request)) + request)
    response = connection.recv(4096)
    if len(response) < 14:
        raise ConnectionResetError
    return response[2:]


def query(transport, name):
    try:
        return transport(message(name))[3] & 15
    except TimeoutError:
        return "silence"
    except OSError:
        return "reset"


datagrams, connection = connect(socket.SOCK_DGRAM), None
print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    results = {"udp": query(by_udp, "u-" + line.strip()), "tcp": query(by_tcp, "t-" + line.strip())}
    if results["tcp"] in ("silence", "reset") and connection:
        connection.close()
        connection = None
    print(json.dumps(results), flush=True)
