"""
Datagrams of very many devices on one LAN, with an address and a MAC address each. `many-senders.py INTERFACE GATEWAY_MAC TARGET COUNT
PER_SECOND`. "send PORT" sends from this port a number of datagrams of each device, all devices in turn, and is answered with
what was sent of each: packets, and bytes with the headers of IP and UDP.
"""
import ipaddress
import json
import socket
import struct
import sys
import time

from frames import frame, udp

interface, gateway_mac, target = sys.argv[1:4]
count, per_second = int(sys.argv[4]), int(sys.argv[5])
first = ipaddress.ip_address("10.77.16.0")
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind((interface, 0))


def datagram(number, port):
    """Each device has datagrams of a size of its own; the server reads the number of the device from them."""
    mac = ":".join(f"{byte:02x}" for byte in bytes([2, 0, 0, 1, number >> 8, number & 255]))
    data = struct.pack("!I", number).ljust(100 + number * 37 % 1100, b"x")
    return frame(gateway_mac, mac, str(first + number), target, 17, udp(port, 9999, data))


def send(port):
    sent = [[0, 0] for _ in range(count)]
    frames = [datagram(number, port) for number in range(count)]
    due = time.monotonic()
    for turn in range(16):
        for number in range(count):
            if turn >= 4 + number % 13:
                continue
            try:
                wire.send(frames[number])
            except OSError:
                continue
            sent[number][0] += 1
            sent[number][1] += len(frames[number]) - 14
            due += 1 / per_second
            if due > time.monotonic() + 0.005:
                time.sleep(0.005)
    return sent


print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    print(json.dumps(send(int(line.split()[1]))), flush=True)
