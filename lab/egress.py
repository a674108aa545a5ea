"""Which way a packet came, by the address it has outside."""
import ipaddress

WAYS = ["wan0", "t1", "t2", "t3"]


def way_of(address):
    """The gateway's address on its n-th way is in that way's own network."""
    if ":" in address:
        return WAYS[(int(ipaddress.ip_address(address)) >> 80) & 0xFFFF]
    return WAYS[int(address.split(".")[3]) // 8] if address.startswith("192.0.2.") else address
