"""
Receives records of dnsdist's log in place of the daemon, and writes the printable text of each as a line.
"""
import re, socket, sys

port, path = int(sys.argv[1]), sys.argv[2]
with socket.create_server(("127.0.0.1", port)) as server, open(path, "w") as out:
    while True:
        connection, _ = server.accept()
        stream = connection.makefile("rb")
        while len(head := stream.read(2)) == 2:
            record = stream.read(int.from_bytes(head, "big"))
            out.write(" ".join(it.decode() for it in re.findall(rb"[ -~]{3,}", record)) + "\n")
            out.flush()
