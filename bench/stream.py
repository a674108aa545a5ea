"""
One long TCP connection. `stream.py take ADDRESS PORT` accepts and reads; `stream.py give ADDRESS PORT` connects and, given a
number, sends so many bytes and prints "ok" when the other side has them all. After a failure it prints "lost" and reconnects.
"""
import socket
import sys
import threading
import time

role, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
piece = bytearray(128 * 1024)


def read(connection):
    buffer = bytearray(len(piece))
    try:
        while head := connection.recv(8, socket.MSG_WAITALL):
            left = int.from_bytes(head, "big")
            while left:
                count = connection.recv_into(buffer, min(left, len(buffer)))
                if not count:
                    return
                left -= count
            connection.sendall(b"!")
    except OSError:
        pass


def take():
    with socket.create_server((address, port)) as server:
        print("ready", flush=True)
        while True:
            # A thread for each: this side does not notice that the peer has reset a connection.
            threading.Thread(target=read, args=server.accept()[:1], daemon=True).start()


def connect():
    """A tunnel on a slow machine can be down for a moment, so it tries for two minutes."""
    end = time.monotonic() + 120
    while True:
        try:
            connection = socket.create_connection((address, port), timeout=10)
            connection.settimeout(60)
            return connection
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


def send(connection, left):
    connection.sendall(left.to_bytes(8, "big"))
    while left:
        left -= connection.send(memoryview(piece)[: min(left, len(piece))])
    if not connection.recv(1):
        raise ConnectionError("The other side has closed the connection")


def give():
    connection = connect()
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            send(connection, int(line))
            print("ok", flush=True)
        except OSError:
            connection.close()
            connection = connect()
            print("lost", flush=True)


take() if role == "take" else give()
