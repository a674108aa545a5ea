"""
What devices send to all on a LAN. `announce.py INTERFACE ADDRESS HOSTNAME` sends an mDNS response (RFC 6762) for this
name and address, and an SSDP notification, by ordinary sockets. `announce.py INTERFACE many COUNT` sends frames of so many
devices: the request of a DHCP client with a host name, an ARP request of the address it then has, and an mDNS response a second later.
"""
import socket
import struct
import sys
import time

from frames import frame, udp

interface = sys.argv[1]


def name(*labels):
    return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"


def record(owner, kind, data):
    return owner + struct.pack("!HHIH", kind, 0x8001, 120, len(data)) + data


def response(address, hostname, instance="Living room"):
    service = name(instance, "_googlecast", "_tcp", "local")
    text = b"".join(bytes([len(it)]) + it.encode() for it in ["id=1", "md=Example Cast"])
    records = [
        record(name(hostname, "local"), 1, socket.inet_aton(address)),
        record(service, 33, struct.pack("!HHH", 0, 0, 8009) + name(hostname, "local")),
        record(service, 16, text),
    ]
    return struct.pack("!HHHHHH", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def announce(address, hostname):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    sender.bind((address, 5353))
    sender.sendto(response(address, hostname), ("224.0.0.251", 5353))
    notify = "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:alive\r\nSERVER: Linux/6 UPnP/1.0 Example/2\r\n\r\n"
    sender.sendto(notify.encode(), ("239.255.255.250", 1900))


def discover(mac, hostname):
    head = struct.pack("!BBBB", 1, 1, 6, 0) + b"\0" * 24 + mac + b"\0" * 202 + bytes.fromhex("63825363")
    text = hostname.encode()
    return head + bytes([53, 1, 1, 12, len(text)]) + text + bytes([55, 3, 1, 3, 6, 255])


def request(mac, address, target):
    ethernet = b"\xff" * 6 + mac + b"\x08\x06"
    return ethernet + struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + mac + socket.inet_aton(address) + b"\0" * 6 + socket.inet_aton(target)


def many(count):
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    wire.bind((interface, 0))

    def ask(mac, address, hostname):
        client = udp(68, 67, discover(mac, hostname))
        wire.send(frame("ff:ff:ff:ff:ff:ff", mac.hex(":"), "0.0.0.0", "255.255.255.255", 17, client))
        wire.send(request(mac, address, "10.77.0.1"))

    def respond(mac, address, hostname):
        names = udp(5353, 5353, response(address, hostname, hostname.replace("client-", "Speaker ")))
        wire.send(frame("01:00:5e:00:00:fb", mac.hex(":"), address, "224.0.0.251", 17, names))

    devices = [
        (bytes([2, 0, 0, 1, number >> 8, number & 255]), f"10.77.{16 + (number >> 8)}.{number & 255}", f"client-{number}")
        for number in range(count)
    ]
    later = 35
    for number in range(count + later):
        if number < count:
            ask(*devices[number])
        if number >= later:
            respond(*devices[number - later])
        # Within half a minute, as after a power cut.
        time.sleep(0.03)


if sys.argv[2] == "many":
    many(int(sys.argv[3]))
else:
    announce(sys.argv[2], sys.argv[3])
