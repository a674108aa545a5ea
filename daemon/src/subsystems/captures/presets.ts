import type { CapturePreset } from "@portcullis/contract/subsystems/captures";

const both = ["ethernet", "ip"] as const;

/** Flags of TCP in a packet of IPv6 without extension headers: libpcap finds them in IPv4 only. */
const tcp6 = (mask: string): string => `(ip6 and ip6[6] == 6 and ip6[53] & ${mask} != 0)`;

/** Ports are numbers, so that the filters do not depend on files of the machine. */
export const presets: readonly CapturePreset[] = [
  preset("dns", "port 53", "DNS queries and answers"),
  preset("encrypted-dns", "port 853", "DNS over TLS and over QUIC"),
  preset("http", "tcp port 80", "Unencrypted web pages, and portals of hotels"),
  preset("https", "tcp port 443", "Encrypted web pages, and DNS over HTTPS"),
  preset("quic", "udp port 443", "QUIC and HTTP/3"),
  preset("connections", `tcp[tcpflags] & tcp-syn != 0 or ${tcp6("2")}`, "Starts of TCP connections"),
  preset("resets", `tcp[tcpflags] & tcp-rst != 0 or ${tcp6("4")}`, "TCP connections that were refused or cut"),
  preset("icmp", "icmp or icmp6", "Pings, unreachable destinations and other messages of ICMP"),
  preset("dhcp", "udp and (port 67 or port 68 or port 546 or port 547)", "Leases of addresses, IPv4 and IPv6"),
  preset("ntp", "udp port 123", "Time servers"),
  preset("discovery", "udp and (port 5353 or port 5355 or port 1900)", "mDNS, LLMNR and SSDP"),
  preset("tunnels", "udp port 51820 or port 1194", "WireGuard and OpenVPN on their standard ports"),
  preset(
    "neighbours",
    "arp or (icmp6 and ip6[40] >= 133 and ip6[40] <= 137)",
    "ARP, and neighbours and routers of IPv6",
  ),
  preset("multicast", "ether multicast", "Broadcasts and multicasts", ["ethernet"]),
];

function preset(
  name: string,
  filter: string,
  description: string,
  links: readonly CapturePreset["links"][number][] = both,
): CapturePreset {
  return { name, filter, description, links: [...links] };
}
