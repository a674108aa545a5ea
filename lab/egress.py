"""
The egress of a packet, from the source address it has outside.
"""
import ipaddress

EGRESSES = ["wan0", "t1", "t2", "t3"]


def egress_of(address):
    """Each egress of the gateway has its own network."""
    if ":" in address:
        return EGRESSES[(int(ipaddress.ip_address(address)) >> 80) & 0xFFFF]
    return EGRESSES[int(address.split(".")[3]) // 8] if address.startswith("192.0.2.") else address
