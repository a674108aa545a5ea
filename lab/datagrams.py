"""
Sends numbered UDP datagrams of a size at a rate, and prints how many were sent in how many seconds.
The arguments are address, port, number of datagrams, datagrams per second and bytes of each.
"""
import socket
import sys
import time

address, (port, count, per_second, size) = sys.argv[1], map(int, sys.argv[2:6])
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.connect((address, port))
filling = bytes(size - 4)
started = time.monotonic()
for number in range(count):
    while True:
        try:
            out.send(number.to_bytes(4, "big") + filling)
            break
        except ConnectionRefusedError:
            pass  # Nothing listens, which an earlier datagram reports here.
    if number % 20 == 19:
        ahead = started + (number + 1) / per_second - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
print(count, round(time.monotonic() - started, 2))
