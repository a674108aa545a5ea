"""Sends what it is told to, and tells what came of it. Each line is a list of probes: {"kind", "to", "port", "hex", "flow"}.

Probes of one line go out together. Each is answered with what was heard: a text, "silence", or "refused". One with a flow
goes on in the flow of that name, as long as nobody has ended it.
"""
import json
import socket
import sys
import threading

patience = 2
flows = {}


def probe(it, said, place):
    name = it.get("flow")
    flow = flows.pop(name, None) if name else None
    try:
        if flow is None:
            family = socket.AF_INET6 if ":" in it["to"] else socket.AF_INET
            flow = socket.socket(family, socket.SOCK_DGRAM if it["kind"] == "udp" else socket.SOCK_STREAM)
            flow.settimeout(patience)
            flow.connect((it["to"], it["port"]))
        flow.send(bytes.fromhex(it["hex"]))
        heard = flow.recv(500)
        said[place] = heard.decode(errors="replace") or "refused"
    except TimeoutError:
        said[place] = "silence"
    except OSError:
        said[place] = "refused"
    if name and (it["kind"] == "udp" or said[place] not in ("silence", "refused")):
        flows[name] = flow
    elif flow is not None:
        flow.close()


print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    probes = json.loads(line)
    said = [None] * len(probes)
    threads = [threading.Thread(target=probe, args=(it, said, place)) for place, it in enumerate(probes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(said), flush=True)
