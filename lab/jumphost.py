"""
A host on the LAN through which a remote admin reaches the gateway: it keeps a connection to the remote admin, sends the requests it
receives to the gateway's API, and returns the responses. When the connection is lost it reconnects, for ever. The API key is the
argument.
"""
import json
import socket
import ssl
import sys
import time
import urllib.error
import urllib.request

REMOTE_ADMIN = ("203.0.113.5", 7000)
API = "https://10.0.0.1:8080/api/v1"
UNVERIFIED = ssl._create_unverified_context()  # The certificate of the daemon is self-signed.
HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer " + sys.argv[1]}
RETRY_SEC = 0.2


def request_api(method, path, body):
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
        with socket.create_connection(REMOTE_ADMIN, timeout=1) as connection:
            connection.settimeout(3)
            file = connection.makefile("rw")
            while True:
                # The remote admin sends keepalives; silence means that the connection is dead.
                message = file.readline()
                if not message:
                    break
                if message.strip():
                    file.write(json.dumps(request_api(*json.loads(message))) + "\n")
                    file.flush()
    except OSError:
        pass
    time.sleep(RETRY_SEC)
