"""Asks the API of its host. Each line is a request with method, path and body; it is answered with status and body.
Where requests need a credential, a key is the argument."""
import http.client
import json
import sys

credential = {"Authorization": "Bearer " + sys.argv[1]} if len(sys.argv) > 1 else {}
api = http.client.HTTPConnection("127.0.0.1", 8080, timeout=300)
print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    body = request.get("body")
    headers = credential | ({} if body is None else {"Content-Type": "application/json"})
    sent = None if body is None else json.dumps(body)
    try:
        api.request(request["method"], "/api/v1" + request["path"], sent, headers)
        answer = api.getresponse()
    except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
        # The daemon this connection led to is no more; there may be another.
        api.close()
        api.request(request["method"], "/api/v1" + request["path"], sent, headers)
        answer = api.getresponse()
    text = answer.read()
    print(json.dumps({"status": answer.status, "body": json.loads(text) if text else None}), flush=True)
