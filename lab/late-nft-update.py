"""
The control of whoever must not be late: it reads answers as they leave for the LAN, and only then tells the kernel:
late-nft-update.py INTERFACE RESOLVER. A line is answered with how many packets came to an address before it was told.
"""
import json
import select
import socket
import struct
import subprocess
import sys

interface, resolver = sys.argv[1], socket.inet_aton(sys.argv[2])
TABLE = "lab_afterwards"
subprocess.run(["nft", "-f", "-"], check=True, text=True, input=f"""
table inet {TABLE} {{
	set told {{ type ipv4_addr; }}
	counter early {{ }}
	chain prerouting {{
		type filter hook prerouting priority raw; policy accept;
		iifname "{interface}" ip daddr 45.64.0.0/16 ip daddr != @told counter name early
	}}
}}
""")
kernel = subprocess.Popen(["nft", "-i"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
wire.setsockopt(socket.SOL_SOCKET, 33, 16 << 20)
wire.bind((interface, 0))
told = set()


def addresses(frame):
    """Of an answer from the resolver: its A records. Names in it are pointers, or are skipped."""
    if frame[12:14] != b"\x08\x00" or frame[23] != 17 or frame[26:30] != resolver:
        return
    message = frame[14 + 4 * (frame[14] & 15) + 8:]
    if frame[34:36] != b"\x00\x35" or len(message) < 17:
        return
    place = 12
    while message[place]:
        place += 1 + message[place]
    place += 5
    for _ in range(struct.unpack_from("!H", message, 6)[0]):
        while message[place] and message[place] < 192:
            place += 1 + message[place]
        place += 2 if message[place] else 1
        kind, _, _, length = struct.unpack_from("!HHIH", message, place)
        place += 10 + length
        if kind == 1:
            yield socket.inet_ntoa(message[place - 4:place])


print(json.dumps("ready"), flush=True)
while True:
    ready, _, _ = select.select([wire, sys.stdin], [], [])
    if wire in ready:
        for address in addresses(wire.recv(4096)):
            if address not in told:
                told.add(address)
                kernel.stdin.write(f"add element inet {TABLE} told {{ {address} }}\n")
                kernel.stdin.flush()
    elif sys.stdin in ready:
        if not sys.stdin.readline():
            break
        counters = subprocess.run(["nft", "-j", "list", "counter", "inet", TABLE, "early"], capture_output=True, check=True)
        early = next(it["counter"]["packets"] for it in json.loads(counters.stdout)["nftables"] if "counter" in it)
        print(json.dumps({"early": early, "told": len(told)}), flush=True)
kernel.kill()
