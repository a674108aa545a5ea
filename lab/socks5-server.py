"""
A SOCKS5 server on this port that accepts clients with this USER and PASSWORD (RFC 1928, 1929), for TCP over IPv4.
Each client is answered with the addresses of accepted and of rejected clients since the previous client.
"""
import json
import select
import socket
import struct
import sys
import threading

port, user, password = sys.argv[1:]
accepted, rejected = set(), set()


def exactly(client, size):
    data = b""
    while len(data) < size:
        part = client.recv(size - len(data))
        if not part:
            raise ConnectionError
        data += part
    return data


def is_authenticated(client):
    methods = exactly(client, exactly(client, 2)[1])
    if 2 not in methods:
        client.sendall(b"\x05\xff")
        return False
    client.sendall(b"\x05\x02")
    name = exactly(client, exactly(client, 2)[1])
    secret = exactly(client, exactly(client, 1)[0])
    is_right = (name, secret) == (user.encode(), password.encode())
    client.sendall(b"\x01\x00" if is_right else b"\x01\x01")
    return is_right


def serve(client, address):
    try:
        if not is_authenticated(client):
            rejected.add(address)
            return
        accepted.add(address)
        exactly(client, 4)
        destination = (socket.inet_ntoa(exactly(client, 4)), struct.unpack(">H", exactly(client, 2))[0])
        with socket.create_connection(destination, 3) as target:
            client.sendall(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
            relay(client, target)
    except OSError:
        pass  # A health check connects and closes.
    finally:
        client.close()


def relay(client, target):
    while True:
        for one in select.select([client, target], [], [])[0]:
            data = one.recv(65536)
            if not data:
                return
            (target if one is client else client).sendall(data)


def accept_clients(listener):
    while True:
        client, (address, _) = listener.accept()
        threading.Thread(target=serve, args=(client, address), daemon=True).start()


threading.Thread(target=accept_clients, args=(socket.create_server(("0.0.0.0", int(port))),), daemon=True).start()
print("ready", flush=True)
for _ in sys.stdin:
    print(json.dumps({"accepted": sorted(accepted), "rejected": sorted(rejected)}), flush=True)
    accepted.clear()
    rejected.clear()
