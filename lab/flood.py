"""Sends UDP, TCP and ICMP in both families, every packet a new flow, until it is told to stop; then says how many."""
import select
import socket
import sys
import time

from frames import frame, ping, syn, udp

gateway_mac, interface, mac, per_second = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
ends = {4: ("10.0.0.2", "203.0.113.5"), 6: ("fd00::2", "2001:db8:f::1")}
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind((interface, 0))


def packets(number):
    port = 1024 + number % 60000
    for version, (source, destination) in ends.items():
        yield frame(gateway_mac, mac, source, destination, 17, udp(port, 443))
        yield frame(gateway_mac, mac, source, destination, 6, syn(port, 443))
        yield frame(gateway_mac, mac, source, destination, 1 if version == 4 else 58, ping(version, number))


sent = 0
started = time.monotonic()
print("flooding", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    for one in packets(sent):
        raw.send(one)
        sent += 1
    ahead = sent / per_second - (time.monotonic() - started)
    if ahead > 0:
        time.sleep(ahead)
print(sent, round(time.monotonic() - started, 2), flush=True)
