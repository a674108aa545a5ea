"""Conversations that go on: a server that tells callers the address they come from, and callers that keep one flow.

serve PORT ADDRESS…   answers UDP and TCP on those addresses, until it is ended
udp|tcp ADDRESS PORT SECONDS
                      says "ask" for each line it reads, always in the same flow, and prints what came back:
                      an address, "silence" after so many seconds, or "reset"; a TCP connection that was reset begins anew at the next line
calls ADDRESS PORT SECONDS
                      the same, with a TCP connection of its own for each line
"""
import selectors
import socket
import sys


def serve(port, addresses):
    """Each address has doors of its own: an answer must come from where the question went."""
    known = selectors.DefaultSelector()
    for address, kind in [(it, kind) for it in addresses for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM)]:
        door = socket.socket(familyOf(address), kind)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind((address, port))
        if kind == socket.SOCK_STREAM:
            door.listen()
        known.register(door, selectors.EVENT_READ)
    print("serving", flush=True)
    while True:
        for key, _ in known.select():
            answer(key.fileobj, known)


def answer(door, known):
    try:
        if door.type == socket.SOCK_DGRAM:
            _, caller = door.recvfrom(100)
            door.sendto(caller[0].encode(), caller)
        elif door.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            known.register(door.accept()[0], selectors.EVENT_READ)
        elif door.recv(100):
            door.send(door.getpeername()[0].encode())
        else:
            known.unregister(door)
    except OSError:
        if not door.type == socket.SOCK_DGRAM:
            known.unregister(door)


def familyOf(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def call(kind, address, port, patience):
    flow = None
    for _ in sys.stdin:
        try:
            if flow is None:
                flow = socket.socket(familyOf(address), socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
                flow.settimeout(patience)
                flow.connect((address, port))
            flow.send(b"ask")
            heard = flow.recv(100).decode()
            said = heard or "reset"
        except TimeoutError:
            said = "silence"
        except OSError:
            said = "reset"
        if kind == "calls" or kind == "tcp" and (said == "reset" or said == "silence"):
            flow.close()
            flow = None
        print(said, flush=True)


if sys.argv[1] == "serve":
    serve(int(sys.argv[2]), sys.argv[3:])
else:
    call(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
