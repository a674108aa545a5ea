"""
One TCP connection that stays. `stream.py take ADDRESS PORT` waits for it and reads; `stream.py give ADDRESS PORT` makes
it and, told a number, sends so many bytes and says so when the other side has them all.
"""
import socket
import sys

role, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
piece = bytearray(128 * 1024)


def take():
    with socket.create_server((address, port)) as server:
        print("ready", flush=True)
        connection, _ = server.accept()
    while head := connection.recv(8, socket.MSG_WAITALL):
        left = int.from_bytes(head, "big")
        while left:
            left -= connection.recv_into(piece, min(left, len(piece)))
        connection.sendall(b"!")


def give():
    connection = socket.create_connection((address, port), timeout=10)
    print("ready", flush=True)
    for line in sys.stdin:
        left = int(line)
        connection.sendall(left.to_bytes(8, "big"))
        while left:
            left -= connection.send(memoryview(piece)[: min(left, len(piece))])
        connection.recv(1)
        print("ok", flush=True)


take() if role == "take" else give()
