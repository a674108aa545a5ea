import { because } from "@portcullis/contract/reason";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import type { System } from "../system/system.ts";

/** Programs the gateway drives, and the feature that each enables, as the reason that reports its absence. Nothing works without the first ones. */
const programs = {
  needed: ["ip", "nft", "ping", "sysctl"],
  optional: {
    feature_leak_probes: ["tc"],
    feature_leak_connections: ["conntrack"],
    feature_wireguard: ["wg"],
    feature_wireguard_go: ["wireguard-go", "bwrap", "unshare", "setpriv"],
    feature_openvpn: ["openvpn", "bwrap", "unshare", "setpriv"],
    feature_socks_hops: ["redsocks", "bwrap", "unshare", "setpriv"],
    feature_socks_listeners: ["bwrap", "unshare", "setpriv"],
    feature_dns: ["dnsdist", "unbound", "bwrap", "unshare", "setpriv"],
    feature_dns_zones: ["nsd", "bwrap", "unshare", "setpriv"],
    feature_dhcp: ["kea-dhcp4", "bwrap", "unshare", "setpriv"],
    feature_advertisements: ["radvd", "bwrap", "unshare", "setpriv"],
    feature_captures: ["tcpdump", "bwrap", "unshare", "setpriv"],
    feature_dnssec_clock: ["perl"],
    feature_captive: ["curl"],
    feature_certificate: ["openssl"],
  },
} as const;

/** Which of them are installed. `path` is PATH of the process. */
export function programsComponent(system: Pick<System, "list">, path: string): Component {
  const missing = missingPrograms(system, path);
  const needed = missing(programs.needed);
  const features = optional.flatMap((feature) => {
    const absent = missing(programs.optional[feature]);
    return absent.length === 0 ? [] : [because(feature, { programs: absent })];
  });
  const troubles = [
    ...(needed.length > 0 ? [because("programs_missing", { programs: needed })] : []),
    ...(features.length > 0 ? [because("features_missing", { features })] : []),
  ];
  return component(
    "programs",
    needed.length > 0 ? "failed" : "ok",
    troubles.length > 0 ? because("troubles", { troubles }) : because("programs_installed"),
  );
}

/** Selects the programs that are not installed. */
export function missingPrograms(system: Pick<System, "list">, path: string) {
  const installed = new Set(path.split(":").flatMap((folder) => (folder === "" ? [] : system.list(folder))));
  return (names: readonly string[]): string[] => names.filter((name) => !installed.has(name));
}

const optional = Object.keys(programs.optional) as (keyof typeof programs.optional)[];
