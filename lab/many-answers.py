"""
Answers the datagrams of `many-senders.py` with 60 bytes. `many-answers.py ADDRESS`. Each line on standard input is answered with
what was received and sent since the start: for each device that sent anything, packets received, and packets and bytes answered.
"""
import json
import select
import socket
import struct
import sys

server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE: a pause of this process loses no packet.
server.bind((sys.argv[1], 9999))
server.setblocking(False)
devices = {}


def receive():
    while True:
        try:
            data, sender = server.recvfrom(2048)
        except BlockingIOError:
            return
        number = struct.unpack("!I", data[:4])[0]
        device = devices.setdefault(number, [0, 0, 0])
        device[0] += 1
        try:
            server.sendto(data[:4].ljust(60, b"y"), sender)
        except OSError:
            continue
        device[1] += 1
        device[2] += 60 + 28


print(json.dumps("ready"), flush=True)
while True:
    ready, _, _ = select.select([sys.stdin, server], [], [])
    receive()
    if sys.stdin in ready:
        if not sys.stdin.readline():
            break
        print(json.dumps(devices), flush=True)
