"""
Long-lived flows: a server that answers with the address of its client, and clients that keep one flow.

serve PORT ADDRESS…   answers UDP and TCP on those addresses
udp|tcp ADDRESS PORT SECONDS
                      sends a request for each line it reads, always in the same flow, and prints the result: an address,
                      "silence" after this many seconds, or "reset"; a TCP connection that was reset is opened again at the next line
calls ADDRESS PORT SECONDS
                      the same, with a new TCP connection for each line
"""
import selectors
import socket
import sys


def serve(port, addresses):
    """One socket for each address: a response must have the address of the request as its source."""
    known = selectors.DefaultSelector()
    for address, kind in [(it, kind) for it in addresses for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM)]:
        endpoint = socket.socket(familyOf(address), kind)
        endpoint.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        endpoint.bind((address, port))
        if kind == socket.SOCK_STREAM:
            endpoint.listen()
        known.register(endpoint, selectors.EVENT_READ)
    print("serving", flush=True)
    while True:
        for key, _ in known.select():
            answer(key.fileobj, known)


def answer(endpoint, known):
    try:
        if endpoint.type == socket.SOCK_DGRAM:
            _, client = endpoint.recvfrom(100)
            endpoint.sendto(client[0].encode(), client)
        elif endpoint.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            known.register(endpoint.accept()[0], selectors.EVENT_READ)
        elif endpoint.recv(100):
            endpoint.send(endpoint.getpeername()[0].encode())
        else:
            known.unregister(endpoint)
    except OSError:
        if not endpoint.type == socket.SOCK_DGRAM:
            known.unregister(endpoint)


def familyOf(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def send_requests(kind, address, port, timeout_sec):
    flow = None
    for _ in sys.stdin:
        try:
            if flow is None:
                flow = socket.socket(familyOf(address), socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
                flow.settimeout(timeout_sec)
                flow.connect((address, port))
            flow.send(b"request")
            data = flow.recv(100).decode()
            result = data or "reset"
        except TimeoutError:
            result = "silence"
        except OSError:
            result = "reset"
        if kind == "calls" or kind == "tcp" and (result == "reset" or result == "silence"):
            flow.close()
            flow = None
        print(result, flush=True)


if sys.argv[1] == "serve":
    serve(int(sys.argv[2]), sys.argv[3:])
else:
    send_requests(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
