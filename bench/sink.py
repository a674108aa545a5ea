"""`sink.py ADDRESS PORT` takes datagrams. Told a number, it says how many of so many came, when they are all there or long overdue."""
import socket
import sys

taker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
taker.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)  # SO_RCVBUFFORCE: a slow moment of ours is no packet lost.
taker.bind((sys.argv[1], int(sys.argv[2])))
taker.settimeout(1)
piece = bytearray(2048)

print("ready", flush=True)
for line in sys.stdin:
    came = 0
    try:
        while came < int(line):
            taker.recv_into(piece)
            came += 1
    except TimeoutError:
        pass
    print(came, flush=True)
