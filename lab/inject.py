"""
Reads "interface mac source destination port" lines and sends each as a UDP packet; an empty line is answered "ok" when the
kernel has processed all of them.
"""
import socket
import sys
import time

from frames import frame, udp

BACKLOG = 11  # Packets a processor has accepted and not yet looked at, since Linux 5.10.


def drain():
    """A busy kernel may look at packets a moment after they were sent. Each processor looks at them in their order."""
    busy = None
    for _ in range(2000):
        with open("/proc/net/softnet_stat") as rows:
            counts = [row.split() for row in rows]
        waiting = {index for index, row in enumerate(counts) if len(row) > BACKLOG and int(row[BACKLOG], 16) > 0}
        busy = waiting if busy is None else busy & waiting
        if not busy:
            return
        time.sleep(0.001)
    raise TimeoutError("the kernel has not handed all packets on within two seconds")


gateway_mac = sys.argv[1]
sockets = {}
for line in sys.stdin:
    words = line.split()
    if not words:
        drain()
        print("ok", flush=True)
        continue
    interface, mac, source, destination, port = words
    if interface not in sockets:
        raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        raw.bind((interface, 0))
        sockets[interface] = raw
    payload = udp(10000 + int(port) % 50000, int(port))
    sockets[interface].send(frame(gateway_mac, mac, source, destination, 17, payload))
