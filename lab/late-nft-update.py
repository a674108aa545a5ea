"""
The negative control for late updates: reads DNS responses as they leave for the LAN, and only then adds their addresses to the
kernel: late-nft-update.py INTERFACE RESOLVER. A line is answered with how many packets were sent to an address before it was added.
"""
import json
import select
import socket
import struct
import subprocess
import sys

interface, resolver = sys.argv[1], socket.inet_aton(sys.argv[2])
TABLE = "lab_late_update"
subprocess.run(["nft", "-f", "-"], check=True, text=True, input=f"""
table inet {TABLE} {{
	set known {{ type ipv4_addr; }}
	counter early {{ }}
	chain prerouting {{
		type filter hook prerouting priority raw; policy accept;
		iifname "{interface}" ip daddr 45.64.0.0/16 ip daddr != @known counter name early
	}}
}}
""")
kernel = subprocess.Popen(["nft", "-i"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
wire.setsockopt(socket.SOL_SOCKET, 33, 16 << 20)
wire.bind((interface, 0))
known = set()


def addresses(frame):
    """The A records of a response from the resolver; names are skipped."""
    if frame[12:14] != b"\x08\x00" or frame[23] != 17 or frame[26:30] != resolver:
        return
    message = frame[14 + 4 * (frame[14] & 15) + 8:]
    if frame[34:36] != b"\x00\x35" or len(message) < 17:
        return
    index = 12
    while message[index]:
        index += 1 + message[index]
    index += 5
    for _ in range(struct.unpack_from("!H", message, 6)[0]):
        while message[index] and message[index] < 192:
            index += 1 + message[index]
        index += 2 if message[index] else 1
        kind, _, _, length = struct.unpack_from("!HHIH", message, index)
        index += 10 + length
        if kind == 1:
            yield socket.inet_ntoa(message[index - 4:index])


print(json.dumps("ready"), flush=True)
while True:
    ready, _, _ = select.select([wire, sys.stdin], [], [])
    if wire in ready:
        for address in addresses(wire.recv(4096)):
            if address not in known:
                known.add(address)
                kernel.stdin.write(f"add element inet {TABLE} known {{ {address} }}\n")
                kernel.stdin.flush()
    elif sys.stdin in ready:
        if not sys.stdin.readline():
            break
        counters = subprocess.run(["nft", "-j", "list", "counter", "inet", TABLE, "early"], capture_output=True, check=True)
        early = next(it["counter"]["packets"] for it in json.loads(counters.stdout)["nftables"] if "counter" in it)
        print(json.dumps({"early": early, "known": len(known)}), flush=True)
kernel.kill()
