"""`sink.py ADDRESS PORT` receives datagrams. Given a number, it prints how many arrived: when all have, or when none has for 10 s."""
import socket
import sys

taker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
taker.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)  # SO_RCVBUFFORCE: a slow moment of ours is no packet lost.
taker.bind((sys.argv[1], int(sys.argv[2])))
taker.settimeout(10)
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
