"""
Sends requests to the API of its host. Each line is a request with method, path and body; it is answered with status and body.
The arguments are http or https, and an API key where requests need a credential.
"""
import http.client
import json
import ssl
import sys

credential = {"Authorization": "Bearer " + sys.argv[2]} if sys.argv[2] else {}
if sys.argv[1] == "https":
    # The certificate of the daemon is self-signed.
    api = http.client.HTTPSConnection("127.0.0.1", 8080, timeout=300, context=ssl._create_unverified_context())
else:
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
        # The daemon of this connection has ended; there may be a new one.
        api.close()
        api.request(request["method"], "/api/v1" + request["path"], sent, headers)
        answer = api.getresponse()
    text = answer.read()
    print(json.dumps({"status": answer.status, "body": json.loads(text) if text else None}), flush=True)
