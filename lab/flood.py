"""
Sends UDP, TCP and ICMP in both families until stopped, then prints how many packets were sent. Some belong to new flows, some to a
few long-lived flows, and some get responses that the gateway cannot deliver: to an unused address, with an expired TTL, or too big.
"""
import json
import select
import socket
import sys
import time

from frames import frame, ping, segment, udp

gateway_mac, interface, mac, own, per_second = *sys.argv[1:5], int(sys.argv[5])
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind((interface, 0))
FIN, SYN, ACK = 0x01, 0x02, 0x10
ENDS = {4: ("10.0.0.%s", "203.0.113.5"), 6: ("fd00::%s", "2001:db8:f::1")}


def packets(number):
    fresh = 20000 + number % 40000
    lasting = 10000 + number % 8
    for version, (network, destination) in ENDS.items():
        def packet(protocol, payload, source=own):
            return frame(gateway_mac, mac, network % source, destination, protocol, payload)

        icmp = 1 if version == 4 else 58
        yield packet(17, udp(fresh, 443))
        yield packet(6, segment(fresh, 443, SYN))
        yield packet(6, segment(fresh, 443, SYN | FIN))  # No connection begins like this.
        yield packet(icmp, ping(version, number, 1))
        yield packet(17, udp(lasting, 443))
        yield packet(6, segment(lasting, 443, ACK))
        yield packet(icmp, ping(version, 7, number))
        yield packet(17, udp(fresh, 443), "177")
        yield packet(17, udp(fresh, 444))
        yield packet(17, udp(fresh, 445))


sent = 0
started = time.monotonic()
print(json.dumps("ready"), flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    for one in packets(sent):
        raw.send(one)
        sent += 1
    ahead = sent / per_second - (time.monotonic() - started)
    if ahead > 0:
        time.sleep(ahead)
print(json.dumps({"sent": sent, "seconds": round(time.monotonic() - started, 2)}), flush=True)
