"""
A SOCKS5 client (RFC 1928, 1929) that sends a request to a server behind the proxy.

SERVER PORT USER PASSWORD tcp|udp TARGET PORT [SECONDS]   prints the response, "refused" with the proxy's reason, or "silence";
                                                an empty USER means no authentication; TARGET may be a name
"""
import socket
import struct
import sys

server, port, user, password, kind, target, target_port = sys.argv[1:8]
timeout_sec = float(sys.argv[8]) if len(sys.argv) > 8 else 10


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
        part = proxy.recv(size - len(data))
        if not part:
            raise ConnectionError
        data += part
    return data


def request():
    proxy.sendall(b"\x05\x01" + (b"\x02" if user else b"\x00"))
    method = exactly(2)[1]
    if method == 0xFF:
        return "refused method"
    if method == 2:
        fields = [user.encode(), password.encode()]
        proxy.sendall(b"\x01" + b"".join(bytes([len(field)]) + field for field in fields))
        if exactly(2)[1] != 0:
            return "refused password"
    destination = address_of(target) + struct.pack(">H", int(target_port))
    if kind == "tcp":
        proxy.sendall(b"\x05\x01\x00" + destination)
    else:
        proxy.sendall(b"\x05\x03\x00\x01\x00\x00\x00\x00\x00\x00")
    _, reply, _, form = exactly(4)
    if reply != 0:
        return f"refused {reply}"
    family, size = (socket.AF_INET6, 16) if form == 4 else (socket.AF_INET, 4)
    relay = (socket.inet_ntop(family, exactly(size)), struct.unpack(">H", exactly(2))[0])
    if kind == "tcp":
        proxy.sendall(b"request")
        return proxy.recv(100).decode() or "refused"
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.settimeout(timeout_sec)
    one.sendto(b"\x00\x00\x00" + destination + b"request", relay)
    return one.recv(200)[10:].decode()


try:
    proxy = socket.create_connection((server, int(port)), timeout_sec)
    proxy.settimeout(timeout_sec)
    print(request())
except TimeoutError:
    print("silence")
except OSError:
    print("refused")
