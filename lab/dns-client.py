"""
Sends DNS queries from many addresses of its host. Each line it reads is a JSON list of queries, each
[from, to, name, type, protocol]; it is answered with a list of [code, answers], in the same order, or null for a query without a
response after all retries. Answers are "TYPE value", sorted; the owner of a record does not count.
"""
import json
import select
import socket
import struct
import sys
import time

PORT = 53
AT_ONCE, TRIES, TIMEOUT_SEC = 100, 20, 1.5
TYPES = {"A": 1, "NS": 2, "CNAME": 5, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28, "SRV": 33, "HTTPS": 65, "CAA": 257}
NAMES = {number: name for name, number in TYPES.items()}
sockets = {}


def socket_for(here, there):
    key = (here, there)
    if key not in sockets:
        one = socket.socket(socket.AF_INET6 if ":" in here else socket.AF_INET, socket.SOCK_DGRAM)
        one.setblocking(False)
        one.bind((here, 0))
        one.connect((there, PORT))
        sockets[key] = one
    return sockets[key]


def query(number, name, kind):
    labels = b"".join(bytes([len(label)]) + label for label in name.encode().split(b"."))
    return struct.pack("!HHHHHH", number, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", TYPES[kind], 1)


def name_at(data, index):
    labels, end = [], None
    while data[index]:
        if data[index] >= 192:
            end = end or index + 2
            index = struct.unpack_from("!H", data, index)[0] & 0x3FFF
        else:
            labels.append(data[index + 1:index + 1 + data[index]].decode("latin1").lower())
            index += 1 + data[index]
    return ".".join(labels), end or index + 1


def value(data, kind, index, length):
    if kind in (1, 28):
        return socket.inet_ntop(socket.AF_INET if kind == 1 else socket.AF_INET6, data[index:index + length])
    if kind in (2, 5, 12):
        return name_at(data, index)[0]
    return data[index:index + length].hex()


def read(data):
    count = struct.unpack_from("!H", data, 6)[0]
    _, index = name_at(data, 12)
    index += 4
    answers = []
    for _ in range(count):
        _, index = name_at(data, index)
        kind, _, _, length = struct.unpack_from("!HHIH", data, index)
        index += 10
        answers.append("%s %s" % (NAMES.get(kind, kind), value(data, kind, index, length)))
        index += length
    return [data[3] & 15, sorted(answers)]


def by_tcp(here, there, name, kind):
    for _ in range(TRIES):
        try:
            with socket.create_connection((there, PORT), TIMEOUT_SEC, (here, 0)) as one:
                body = query(7, name, kind)
                one.sendall(struct.pack("!H", len(body)) + body)
                stream = one.makefile("rb")
                return read(stream.read(struct.unpack("!H", stream.read(2))[0]))
        except (OSError, struct.error):
            continue
    return None


def query_all(queries):
    answers = [None] * len(queries)
    for index, (here, there, name, kind, protocol) in enumerate(queries):
        if protocol == "tcp":
            answers[index] = by_tcp(here, there, name, kind)
    waiting = [(index, 0) for index, it in enumerate(queries) if it[4] == "udp"][::-1]
    pending = {}  # (socket, id) → (index, tries, when)
    number = 0
    while waiting or pending:
        while waiting and len(pending) < AT_ONCE:
            index, tries = waiting.pop()
            here, there, name, kind, _ = queries[index]
            number = (number + 1) & 0xFFFF
            one = socket_for(here, there)
            pending[one, number] = (index, tries, time.monotonic())
            try:
                one.send(query(number, name, kind))
            except OSError:
                pass  # Counts as lost; it is sent again.
        ready, _, _ = select.select({one for one, _ in pending}, [], [], 0.05)
        for one in ready:
            try:
                while True:
                    data = one.recv(4096)
                    known = pending.pop((one, data[0] << 8 | data[1]), None)
                    if known:
                        answers[known[0]] = read(data)
            except OSError:
                pass
        now = time.monotonic()
        for key, (index, tries, when) in list(pending.items()):
            if now - when > (0.1 if tries == 0 else TIMEOUT_SEC):
                del pending[key]
                if tries + 1 < TRIES:
                    waiting.append((index, tries + 1))
    return answers


print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    print(json.dumps(query_all(json.loads(line))), flush=True)
