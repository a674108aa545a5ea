"""`sink.py ADDRESS PORT` receives datagrams. Given a number, it prints how many arrived: when all have, or when none has for 10 s."""
import socket
import sys

receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)  # SO_RCVBUFFORCE: a slow receiver must not lose packets.
receiver.bind((sys.argv[1], int(sys.argv[2])))
receiver.settimeout(10)
piece = bytearray(2048)

print("ready", flush=True)
for line in sys.stdin:
    came = 0
    try:
        while came < int(line):
            receiver.recv_into(piece)
            came += 1
    except TimeoutError:
        pass
    print(came, flush=True)
