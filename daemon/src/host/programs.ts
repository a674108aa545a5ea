import type { Component } from "@portcullis/contract/subsystems/status";
import type { System } from "../system/system.ts";

/** Programs the gateway drives, and the feature that each enables. Nothing works without the first ones. */
const programs = {
  needed: ["ip", "nft", "ping", "sysctl"],
  optional: {
    "probes of the leak check": ["tc"],
    "connections in the leak check": ["conntrack"],
    "WireGuard tunnels": ["wg"],
    "WireGuard tunnels where the kernel has none": ["wireguard-go", "bwrap", "unshare", "setpriv"],
    "OpenVPN tunnels": ["openvpn", "bwrap", "unshare", "setpriv"],
    "SOCKS5 hops": ["redsocks", "bwrap", "unshare", "setpriv"],
    "SOCKS5 listeners": ["bwrap", "unshare", "setpriv"],
    DNS: ["dnsdist", "unbound", "bwrap", "unshare", "setpriv"],
    "local DNS zones": ["nsd", "bwrap", "unshare", "setpriv"],
    "DHCP server": ["kea-dhcp4", "bwrap", "unshare", "setpriv"],
    "IPv6 router advertisements": ["radvd", "bwrap", "unshare", "setpriv"],
    "DNSSEC where the clock may be wrong": ["perl"],
    "captive portal detection": ["curl"],
    "the gateway's own certificate": ["openssl"],
  },
} as const;

/** Which of them are installed. `path` is PATH of the process. */
export function programsComponent(system: Pick<System, "list">, path: string): Component {
  const installed = new Set(path.split(":").flatMap((folder) => (folder === "" ? [] : system.list(folder))));
  const missing = (names: readonly string[]) => names.filter((name) => !installed.has(name));
  const needed = missing(programs.needed);
  const without = Object.entries(programs.optional).flatMap(([what, names]) => {
    const absent = missing(names);
    return absent.length === 0 ? [] : [`${what} (${absent.join(", ")})`];
  });
  return {
    name: "programs",
    status: needed.length > 0 ? "failed" : "ok",
    message:
      [
        ...(needed.length > 0
          ? [
              `Required programs are not installed: ${needed.join(", ")}. \`apt install iproute2 nftables iputils-ping procps\`.`,
            ]
          : []),
        ...(without.length > 0 ? [`Not available, because programs are missing: ${without.join("; ")}.`] : []),
      ].join(" ") || "All programs are installed",
  };
}
