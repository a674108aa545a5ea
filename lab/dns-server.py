"""
A DNS server that answers every query with one address: dns-server.py ADDRESS ANSWER. With "client" as the answer, it answers with
the client's own address. Each line it reads is answered with the addresses of all clients so far.
"""
import json
import select
import socket
import struct
import sys

server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind((sys.argv[1], 53))
clients = []
print("ready", flush=True)
while True:
    for ready in select.select([server, sys.stdin], [], [])[0]:
        if ready is sys.stdin:
            if not sys.stdin.readline():
                sys.exit()
            print(json.dumps(clients), flush=True)
            continue
        query, peer = server.recvfrom(512)
        end = query.index(b"\x00", 12) + 5
        is_v4 = query[end - 3] == 1
        clients.append(peer[0])
        address = peer[0] if sys.argv[2] == "client" else sys.argv[2]
        answer = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04" + socket.inet_aton(address) if is_v4 else b""
        head = query[:2] + b"\x81\x80\x00\x01" + struct.pack(">H", int(is_v4)) + b"\x00\x00\x00\x00"
        server.sendto(head + query[12:end] + answer, peer)
