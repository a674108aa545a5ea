"""
A SOCKS5 server on this port that lets in whoever knows the USER and the PASSWORD (RFC 1928, 1929), for TCP over IPv4.
Each line is answered with the addresses of those it let in and of those it did not, since last asked.
"""
import json
import select
import socket
import struct
import sys
import threading

port, user, password = sys.argv[1:]
guests, strangers = set(), set()


def exactly(line, size):
    data = b""
    while len(data) < size:
        part = line.recv(size - len(data))
        if not part:
            raise ConnectionError
        data += part
    return data


def knows_the_word(line):
    methods = exactly(line, exactly(line, 2)[1])
    if 2 not in methods:
        line.sendall(b"\x05\xff")
        return False
    line.sendall(b"\x05\x02")
    name = exactly(line, exactly(line, 2)[1])
    word = exactly(line, exactly(line, 1)[0])
    is_right = (name, word) == (user.encode(), password.encode())
    line.sendall(b"\x01\x00" if is_right else b"\x01\x01")
    return is_right


def serve(line, caller):
    try:
        if not knows_the_word(line):
            strangers.add(caller)
            return
        guests.add(caller)
        exactly(line, 4)
        where = (socket.inet_ntoa(exactly(line, 4)), struct.unpack(">H", exactly(line, 2))[0])
        with socket.create_connection(where, 3) as beyond:
            line.sendall(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
            pass_on(line, beyond)
    except OSError:
        pass  # Whoever only wanted to know whether somebody is there has hung up.
    finally:
        line.close()


def pass_on(line, beyond):
    while True:
        for one in select.select([line, beyond], [], [])[0]:
            data = one.recv(65536)
            if not data:
                return
            (beyond if one is line else line).sendall(data)


def welcome(door):
    while True:
        line, (caller, _) = door.accept()
        threading.Thread(target=serve, args=(line, caller), daemon=True).start()


threading.Thread(target=welcome, args=(socket.create_server(("0.0.0.0", int(port))),), daemon=True).start()
print("ready", flush=True)
for _ in sys.stdin:
    print(json.dumps({"guests": sorted(guests), "strangers": sorted(strangers)}), flush=True)
    guests.clear()
    strangers.clear()
