import type { Component } from "@portcullis/contract/subsystems/status";
import type { System } from "../system/system.ts";

/** Programs the gateway drives, and what cannot be had without each. Nothing works without the first ones. */
const programs = {
  needed: ["ip", "nft", "ping", "sysctl"],
  wanted: {
    "attacks of the leak check": ["tc"],
    "connections in the leak check": ["conntrack"],
    "tunnels of WireGuard": ["wg"],
    "tunnels of WireGuard where the kernel has none": ["wireguard-go", "bwrap", "unshare", "setpriv"],
    "tunnels of OpenVPN": ["openvpn", "bwrap", "unshare", "setpriv"],
    "SOCKS5 hops": ["redsocks", "bwrap", "unshare", "setpriv"],
    "SOCKS5 listeners": ["danted", "bwrap", "unshare", "setpriv"],
    "answers for names": ["dnsdist", "unbound", "bwrap", "unshare", "setpriv"],
    "zones of the house": ["nsd", "bwrap", "unshare", "setpriv"],
    "signatures of names checked where the clock may be wrong": ["perl"],
    "looking for portals": ["curl"],
    "listeners with a password": ["openssl"],
    "a certificate of our own": ["openssl"],
  },
} as const;

/** Which of them are installed, in a sentence. `path` is that of the process: folders with colons between them. */
export function programsComponent(system: Pick<System, "list">, path: string): Component {
  const installed = new Set(path.split(":").flatMap((folder) => (folder === "" ? [] : system.list(folder))));
  const missing = (names: readonly string[]) => names.filter((name) => !installed.has(name));
  const needed = missing(programs.needed);
  const without = Object.entries(programs.wanted).flatMap(([what, names]) => {
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
              `Not installed, and nothing works without: ${needed.join(", ")}. \`apt install iproute2 nftables iputils-ping procps\`.`,
            ]
          : []),
        ...(without.length > 0 ? [`Not to be had, for lack of programs: ${without.join("; ")}.`] : []),
      ].join(" ") || "Every program that may be needed is installed",
  };
}
