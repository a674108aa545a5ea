"""
Asks a name server in two conversations that go on and on: UDP from one port, and one TCP connection: dns-flows.py SERVER.
Each line is a name, asked for in both at once, and answered with what came back: a code, "silence", or "reset". A
connection that was reset begins anew with the next line; the port stays.
"""
import json
import socket
import struct
import sys

server = sys.argv[1]
family = socket.AF_INET6 if ":" in server else socket.AF_INET
patience = 1.5
number = 0


def connect(kind):
    one = socket.socket(family, kind)
    one.settimeout(patience)
    one.connect((server, 53))
    return one


def message(name):
    global number
    number = (number + 1) & 0xFFFF
    labels = b"".join(bytes([len(it)]) + it for it in name.encode().split(b".") if it)
    return struct.pack("!HHHHHH", number, 0x0100, 1, 0, 0, 0) + labels + b"\0\0\1\0\1"


def by_udp(asked):
    datagrams.send(asked)
    while True:
        heard = datagrams.recv(4096)
        if heard[:2] == asked[:2]:
            return heard


def by_tcp(asked):
    global connection
    connection = connection or connect(socket.SOCK_STREAM)
    connection.sendall(struct.pack("!H", len(asked)) + asked)
    heard = connection.recv(4096)
    if len(heard) < 14:
        raise ConnectionResetError
    return heard[2:]


def ask(how, name):
    try:
        return how(message(name))[3] & 15
    except TimeoutError:
        return "silence"
    except OSError:
        return "reset"


datagrams, connection = connect(socket.SOCK_DGRAM), None
print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    said = {"udp": ask(by_udp, "u-" + line.strip()), "tcp": ask(by_tcp, "t-" + line.strip())}
    if said["tcp"] in ("silence", "reset") and connection:
        connection.close()
        connection = None
    print(json.dumps(said), flush=True)
