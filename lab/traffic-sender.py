"""
Sends traffic to the server outside: numbered datagrams and one TCP connection in each family, until stopped.
"""
import errno
import json
import select
import socket
import sys
import time

name, per_second = sys.argv[1], float(sys.argv[2])
SERVER = {"4": (socket.AF_INET, "203.0.113.5"), "6": (socket.AF_INET6, "2001:db8:f::1")}
RETRY_SEC = 0.1


class Sender:
    def __init__(self, label):
        self.label = label
        self.family, self.address = SERVER[label]
        self.udp = socket.socket(self.family, socket.SOCK_DGRAM)
        self.udp.setblocking(False)
        self.udp_sent = 0
        self.connections = []
        self.next_try = 0
        self.open()

    def open(self):
        self.tcp = socket.socket(self.family, socket.SOCK_STREAM)
        self.tcp.setblocking(False)
        self.tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.number = 0
        self.unsent = f"{name}\n".encode()
        self.now = {"opened": time.monotonic(), "ended": None, "why": None, "sent": 0, "echoed": 0}
        self.connections.append(self.now)
        self.tcp.connect_ex((self.address, 443))

    def end(self, why):
        self.now.update(ended=time.monotonic(), why=why)
        self.tcp.close()
        self.tcp = None
        self.next_try = time.monotonic() + RETRY_SEC

    def send_datagram(self):
        try:
            self.udp.sendto(f"{name}-{self.label} {self.udp_sent}".encode(), (self.address, 443))
            self.udp_sent += 1
        except OSError:
            pass  # The gateway has sent an ICMP error: no egress. The next datagram uses the number.

    def send_record(self):
        if self.tcp is None:
            if time.monotonic() >= self.next_try:
                self.open()
            return
        if len(self.unsent) < 4096:
            self.unsent += b"%d\n" % self.number
            self.number += 1
        self.push()

    def push(self):
        try:
            sent = self.tcp.send(self.unsent)
            self.now["sent"] += sent
            self.unsent = self.unsent[sent:]
        except (BlockingIOError, InterruptedError):
            pass
        except OSError as error:
            if error.errno not in (errno.ENOTCONN, errno.EINPROGRESS, errno.EALREADY):
                self.end(errno.errorcode.get(error.errno, str(error)))

    def receive(self):
        try:
            self.udp.recv(2048)
        except OSError:
            pass

    def receive_echo(self):
        try:
            data = self.tcp.recv(65536)
        except (BlockingIOError, InterruptedError):
            self.drain_errors()
            return
        except OSError as error:
            self.end(errno.errorcode.get(error.errno, str(error)))
            return
        if data:
            self.now["echoed"] += len(data)
        else:
            self.end("closed")

    def drain_errors(self):
        """A gateway that rejects at once does so during the handshake. The kernel retries, but keeps the error queued,
        and select() returns at once until it has been read."""
        try:
            self.tcp.recvmsg(1, 0, socket.MSG_ERRQUEUE)
        except OSError:
            pass


senders = [Sender(label) for label in SERVER]


def receive_until(wait):
    """Receives for this long; returns whether a command arrived."""
    until = time.monotonic() + wait
    while True:
        readers = {sender.udp: sender.receive for sender in senders}
        readers.update({sender.tcp: sender.receive_echo for sender in senders if sender.tcp})
        ready, _, _ = select.select([sys.stdin, *readers], [], [], max(0, until - time.monotonic()))
        for one in ready:
            if one is not sys.stdin and one.fileno() >= 0:
                readers[one]()
        if sys.stdin in ready:
            return True
        if time.monotonic() >= until:
            return False


def report():
    udp = {sender.label: sender.udp_sent for sender in senders}
    print(json.dumps({"udp": udp, "tcp": {sender.label: sender.connections for sender in senders}}), flush=True)


def finish():
    """Sends no more records and waits for the echoes of an established connection; one that never was is soon given up."""
    began = time.monotonic()
    timeout_sec = lambda sender: 30 if sender.now["echoed"] else 2
    while any(m.tcp and m.now["echoed"] < m.now["sent"] + len(m.unsent) and time.monotonic() < began + timeout_sec(m) for m in senders):
        for sender in senders:
            if sender.tcp and sender.unsent:
                sender.push()
        receive_until(0.02)


print(json.dumps("ready"), flush=True)
started, turns = time.monotonic(), 0
while True:
    for sender in senders:
        sender.send_datagram()
        sender.send_record()
    turns += 1
    if not receive_until(max(0, started + turns / per_second - time.monotonic())):
        continue
    command = sys.stdin.readline().strip()
    if command == "stop":
        finish()
    report()
    if command != "report":
        break
