"""
Sends probes and reports their results. Each line is a list of probes: {"kind", "to", "port", "hex", "flow"}.

The probes of one line are sent together. Each is answered with the response as text, "silence", or "refused". One with a flow continues
the flow of that name, as long as it is open.
"""
import json
import socket
import sys
import threading

timeout_sec = 2
flows = {}


def probe(it, results, index):
    name = it.get("flow")
    flow = flows.pop(name, None) if name else None
    try:
        if flow is None:
            family = socket.AF_INET6 if ":" in it["to"] else socket.AF_INET
            flow = socket.socket(family, socket.SOCK_DGRAM if it["kind"] == "udp" else socket.SOCK_STREAM)
            flow.settimeout(timeout_sec)
            flow.connect((it["to"], it["port"]))
        flow.send(bytes.fromhex(it["hex"]))
        data = flow.recv(500)
        results[index] = data.decode(errors="replace") or "refused"
    except TimeoutError:
        results[index] = "silence"
    except OSError:
        results[index] = "refused"
    if name and (it["kind"] == "udp" or results[index] not in ("silence", "refused")):
        flows[name] = flow
    elif flow is not None:
        flow.close()


print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    probes = json.loads(line)
    results = [None] * len(probes)
    threads = [threading.Thread(target=probe, args=(it, results, index)) for index, it in enumerate(probes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(results), flush=True)
