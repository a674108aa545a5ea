"""Answers every TCP connection to the ports that are its arguments with a banner, on all addresses, as sshd would."""
import selectors
import socket
import sys

ready = selectors.DefaultSelector()
for port in sys.argv[1:]:
    listener = socket.create_server(("::", int(port)), family=socket.AF_INET6, dualstack_ipv6=True, backlog=128)
    ready.register(listener, selectors.EVENT_READ)
print("ready", flush=True)
while True:
    for key, _ in ready.select():
        connection, _ = key.fileobj.accept()
        with connection:
            connection.sendall(b"SSH-2.0-lab\r\n")
