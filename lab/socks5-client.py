"""Speaks SOCKS5 (RFC 1928, 1929) to a proxy and says "ask" to whoever is behind it.

SERVER PORT USER PASSWORD tcp|udp TARGET PORT [SECONDS]   prints the answer, "refused" with the proxy's reason, or "silence";
                                                an empty USER means that none is told; TARGET may be a name
"""
import socket
import struct
import sys

server, port, user, password, kind, target, target_port = sys.argv[1:8]
patience = float(sys.argv[8]) if len(sys.argv) > 8 else 10


def address_of(name):
    for form, family in ((b"\x01", socket.AF_INET), (b"\x04", socket.AF_INET6)):
        try:
            return form + socket.inet_pton(family, name)
        except OSError:
            pass
    return b"\x03" + bytes([len(name)]) + name.encode()


def exactly(size):
    data = b""
    while len(data) < size:
        part = line.recv(size - len(data))
        if not part:
            raise ConnectionError
        data += part
    return data


def converse():
    line.sendall(b"\x05\x01" + (b"\x02" if user else b"\x00"))
    method = exactly(2)[1]
    if method == 0xFF:
        return "refused method"
    if method == 2:
        words = [user.encode(), password.encode()]
        line.sendall(b"\x01" + b"".join(bytes([len(word)]) + word for word in words))
        if exactly(2)[1] != 0:
            return "refused password"
    where = address_of(target) + struct.pack(">H", int(target_port))
    if kind == "tcp":
        line.sendall(b"\x05\x01\x00" + where)
    else:
        line.sendall(b"\x05\x03\x00\x01\x00\x00\x00\x00\x00\x00")
    _, reply, _, form = exactly(4)
    if reply != 0:
        return f"refused {reply}"
    family, size = (socket.AF_INET6, 16) if form == 4 else (socket.AF_INET, 4)
    relay = (socket.inet_ntop(family, exactly(size)), struct.unpack(">H", exactly(2))[0])
    if kind == "tcp":
        line.sendall(b"ask")
        return line.recv(100).decode() or "refused"
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.settimeout(patience)
    one.sendto(b"\x00\x00\x00" + where + b"ask", relay)
    return one.recv(200)[10:].decode()


try:
    line = socket.create_connection((server, int(port)), patience)
    line.settimeout(patience)
    print(converse())
except TimeoutError:
    print("silence")
except OSError:
    print("refused")
