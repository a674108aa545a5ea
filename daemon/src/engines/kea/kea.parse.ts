import type { DhcpSubnet, Lease } from "./kea.model.ts";

/** Kea's answer to a command: an object, or a list with one. */
export interface Answer {
  /** 0: done; 3: there is nothing. */
  readonly result: number;
  readonly text?: string;
  readonly arguments?: unknown;
}

export function parseAnswer(text: string): Answer {
  const answer = JSON.parse(text) as Answer | readonly Answer[];
  return Array.isArray(answer) ? (answer as readonly Answer[])[0]! : (answer as Answer);
}

interface Subnet {
  readonly subnet: string;
  readonly interface?: string;
  readonly "user-context"?: { readonly link?: string };
  readonly "valid-lifetime"?: number;
  readonly pools?: readonly { readonly pool: string }[];
  readonly "option-data"?: readonly { readonly name?: string; readonly data?: string }[];
  readonly reservations?: readonly { readonly "hw-address"?: string; readonly "ip-address"?: string }[];
}

/** `config-get` → the subnets, as they were rendered. */
export function subnetsIn({ arguments: config }: Answer): DhcpSubnet[] {
  const { Dhcp4 } = config as { readonly Dhcp4?: { readonly subnet4?: readonly Subnet[] } };
  return (Dhcp4?.subnet4 ?? []).map((it) => {
    const [first = "", last = first] = (it.pools?.[0]?.pool ?? "").split(/\s*-\s*/);
    const option = (name: string) => it["option-data"]?.find((one) => one.name === name)?.data ?? "";
    return {
      interface: it.interface ?? "",
      link: it["user-context"]?.link ?? "",
      network: it.subnet,
      gateway: option("routers"),
      resolvers: option("domain-name-servers").split(/,\s*/).filter(Boolean),
      first,
      last,
      leaseSec: it["valid-lifetime"] ?? 0,
      reservations: (it.reservations ?? []).map((one) => ({
        mac: one["hw-address"] ?? "",
        address: one["ip-address"] ?? "",
      })),
    };
  });
}

/** The state of a lease that a client holds; others are declined or expired. */
const held = 0;

interface LeaseJson {
  readonly "ip-address": string;
  readonly "hw-address": string;
  readonly hostname?: string;
  readonly "subnet-id": number;
  readonly cltt: number;
  readonly "valid-lft": number;
  readonly state: number;
}

/** `lease4-get-all` → the leases that clients hold. */
export const leasesIn = ({ arguments: found }: Answer, nowMs: number): Lease[] =>
  ((found as { readonly leases?: readonly LeaseJson[] } | undefined)?.leases ?? [])
    .map((it) => ({ ...it, expiresMs: (it.cltt + it["valid-lft"]) * 1000 }))
    .filter(({ state, expiresMs }) => state === held && expiresMs > nowMs)
    .map((it) => ({
      address: it["ip-address"],
      mac: it["hw-address"],
      // Kea appends a dot to a name without a domain.
      hostname: it.hostname?.replace(/\.$/, "") || null,
      subnetId: it["subnet-id"],
      expiresMs: it.expiresMs,
    }));
