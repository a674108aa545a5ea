"""Talks to the server outside: numbered datagrams and one TCP connection in each family, until told to stop."""
import errno
import json
import select
import socket
import sys
import time

name, per_second = sys.argv[1], float(sys.argv[2])
SERVER = {"4": (socket.AF_INET, "203.0.113.5"), "6": (socket.AF_INET6, "2001:db8:f::1")}
AGAIN_AFTER = 0.1


class Mouth:
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
        self.next_try = time.monotonic() + AGAIN_AFTER

    def say_datagram(self):
        try:
            self.udp.sendto(f"{name}-{self.label} {self.udp_sent}".encode(), (self.address, 443))
            self.udp_sent += 1
        except OSError:
            pass  # The gateway told us that there is no way now. The number is used for the next one.

    def say_record(self):
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

    def hear(self):
        try:
            self.udp.recv(2048)
        except OSError:
            pass

    def hear_echo(self):
        try:
            data = self.tcp.recv(65536)
        except (BlockingIOError, InterruptedError):
            self.forget_refusals()
            return
        except OSError as error:
            self.end(errno.errorcode.get(error.errno, str(error)))
            return
        if data:
            self.now["echoed"] += len(data)
        else:
            self.end("closed")

    def forget_refusals(self):
        """A gateway that refuses at once does so while we still call. The kernel calls again, but keeps what was said,
        and whoever waits for this connection is woken without end until it has been read."""
        try:
            self.tcp.recvmsg(1, 0, socket.MSG_ERRQUEUE)
        except OSError:
            pass


mouths = [Mouth(label) for label in SERVER]


def listen(wait):
    """Hears what comes until then; answers whether somebody told us something."""
    until = time.monotonic() + wait
    while True:
        ears = {mouth.udp: mouth.hear for mouth in mouths}
        ears.update({mouth.tcp: mouth.hear_echo for mouth in mouths if mouth.tcp})
        ready, _, _ = select.select([sys.stdin, *ears], [], [], max(0, until - time.monotonic()))
        for one in ready:
            if one is not sys.stdin and one.fileno() >= 0:
                ears[one]()
        if sys.stdin in ready:
            return True
        if time.monotonic() >= until:
            return False


def report():
    udp = {mouth.label: mouth.udp_sent for mouth in mouths}
    print(json.dumps({"udp": udp, "tcp": {mouth.label: mouth.connections for mouth in mouths}}), flush=True)


def finish():
    """No more records; what was said shall come back, if the connection lives. One that never was one is soon given up."""
    began = time.monotonic()
    patience = lambda mouth: 30 if mouth.now["echoed"] else 2
    while any(m.tcp and m.now["echoed"] < m.now["sent"] + len(m.unsent) and time.monotonic() < began + patience(m) for m in mouths):
        for mouth in mouths:
            if mouth.tcp and mouth.unsent:
                mouth.push()
        listen(0.02)


print(json.dumps("talking"), flush=True)
started, turns = time.monotonic(), 0
while True:
    for mouth in mouths:
        mouth.say_datagram()
        mouth.say_record()
    turns += 1
    if not listen(max(0, started + turns / per_second - time.monotonic())):
        continue
    command = sys.stdin.readline().strip()
    if command == "stop":
        finish()
    report()
    if command != "report":
        break
