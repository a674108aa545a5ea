"""
A name server that knows one address for every name: dns-server.py ADDRESS ANSWER. With "asker" for an answer it tells whoever asks
its own address. Each line it reads is answered with those who asked.
"""
import json
import select
import socket
import struct
import sys

door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
door.bind((sys.argv[1], 53))
asked = []
print("ready", flush=True)
while True:
    for ready in select.select([door, sys.stdin], [], [])[0]:
        if ready is sys.stdin:
            if not sys.stdin.readline():
                sys.exit()
            print(json.dumps(asked), flush=True)
            continue
        query, peer = door.recvfrom(512)
        end = query.index(b"\x00", 12) + 5
        is_v4 = query[end - 3] == 1
        asked.append(peer[0])
        said = peer[0] if sys.argv[2] == "asker" else sys.argv[2]
        answer = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04" + socket.inet_aton(said) if is_v4 else b""
        head = query[:2] + b"\x81\x80\x00\x01" + struct.pack(">H", int(is_v4)) + b"\x00\x00\x00\x00"
        door.sendto(head + query[12:end] + answer, peer)
