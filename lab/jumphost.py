"""
A machine on the LAN through which somebody far away reaches the gateway: it keeps a connection to headquarters, asks the
gateway's API what it is told to ask, and sends the answers back. When the connection is lost it tries again, for ever. The
API key is the argument.
"""
import json
import socket
import ssl
import sys
import time
import urllib.error
import urllib.request

HEADQUARTERS = ("203.0.113.5", 7000)
API = "https://10.0.0.1:8080/api/v1"
UNVERIFIED = ssl._create_unverified_context()  # The daemon has made its certificate itself.
HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer " + sys.argv[1]}
AGAIN_AFTER = 0.2


def ask(method, path, body):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data, HEADERS, method=method)
    try:
        with urllib.request.urlopen(request, timeout=300, context=UNVERIFIED) as answer:
            return {"status": answer.status, "body": json.loads(answer.read() or b"null")}
    except urllib.error.HTTPError as error:
        return {"status": error.code, "body": json.loads(error.read() or b"null")}
    except OSError as error:
        return {"status": 0, "body": str(error)}


print(json.dumps("ready"), flush=True)
while True:
    try:
        with socket.create_connection(HEADQUARTERS, timeout=1) as line:
            line.settimeout(3)
            file = line.makefile("rw")
            while True:
                # Headquarters says something every moment; silence means that the connection is dead.
                question = file.readline()
                if not question:
                    break
                if question.strip():
                    file.write(json.dumps(ask(*json.loads(question))) + "\n")
                    file.flush()
    except OSError:
        pass
    time.sleep(AGAIN_AFTER)
