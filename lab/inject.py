"""Reads "interface mac source destination port" lines and sends each as a UDP packet; an empty line is answered "ok"."""
import socket
import sys

from frames import frame, udp

gateway_mac = sys.argv[1]
sockets = {}
for line in sys.stdin:
    words = line.split()
    if not words:
        print("ok", flush=True)
        continue
    interface, mac, source, destination, port = words
    if interface not in sockets:
        raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        raw.bind((interface, 0))
        sockets[interface] = raw
    payload = udp(10000 + int(port) % 50000, int(port))
    sockets[interface].send(frame(gateway_mac, mac, source, destination, 17, payload))
