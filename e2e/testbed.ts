import { hash, randomBytes, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type HopTopology, openHopTopology } from "../lab/topology-hops.ts";
import { openLab } from "../lab/namespaces.ts";
import { openDnsTopology, type DnsTopology } from "../lab/topology-dns.ts";
import type { Device } from "../lab/topology-devices.ts";
import { uplinks } from "../lab/internet.ts";
import { type LabBrowser, openBrowser } from "./browser.ts";

/** A lab topology with the built daemon as its gateway, and a laptop on the LAN with a browser. */
export interface Testbed extends AsyncDisposable {
  readonly topology: HopTopology;
  /** Present if the gateway resolves DNS queries. */
  readonly resolving: DnsTopology | undefined;
  readonly laptop: Device;
  readonly browser: LabBrowser;
  readonly origin: string;
  readonly admin: { readonly username: string; readonly password: string };
  /** Creates an API key of this role. */
  key(role: Role): Promise<string>;
}
export type Role = "admin" | "operator" | "viewer" | "diagnostics";

export const gatewayOrigin = "https://10.0.0.1:8080";

interface Options {
  /** Whether the gateway resolves DNS queries: takes some seconds longer to start. */
  readonly names?: boolean;
  /** Whether the gateway has a second LAN, without devices. */
  readonly guests?: boolean;
  /** Whether the first-start wizard is complete. */
  readonly configured?: boolean;
  /** Whether the machine is set up; otherwise nothing is enforced, and the configuration file names no interface. */
  readonly enforced?: boolean;
  /** Time limit for the confirmation of the first enforcement; 0: confirmed already. */
  readonly confirmFirstSec?: number;
}

export async function openTestbed({
  names = false,
  guests = false,
  configured = true,
  enforced = true,
  confirmFirstSec = 0,
}: Options = {}): Promise<Testbed> {
  const stack = new AsyncDisposableStack();
  try {
    const lab = stack.use(openLab());
    const config = {
      ...settings(configured),
      dataplane: { enabled: enforced, confirm_first_sec: confirmFirstSec },
      ...(!enforced && { network: {} }),
      ...(guests && { network: twoLans }),
    };
    const resolving = names
      ? stack.use(await openDnsTopology(lab, { resolvers: ["r1"], settings: config }))
      : undefined;
    const topology = resolving?.topology ?? stack.use(await openHopTopology(lab, config));
    if (guests)
      for (const words of [
        `link add ${guestLan} type bridge`,
        `addr add 10.99.0.1/24 dev ${guestLan}`,
        `link set ${guestLan} up`,
      ])
        await topology.net.gateway.run("ip", ...words.split(" "));
    const laptop = await topology.net.device("laptop", laptopHostNumber);
    const browser = stack.use(await openBrowser(laptop, gatewayOrigin, { args: trusting(topology) }));
    if (configured) await topology.api.ok("POST", "/auth/setup", admin);
    return {
      topology,
      resolving,
      laptop,
      browser,
      origin: gatewayOrigin,
      admin,
      key: async (role) =>
        ((await topology.api.ok("POST", "/auth/keys", { name: role, role })) as { readonly key: string }).key,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** The browser trusts the certificate that the daemon created, as if the user had installed it. */
export function trusting({ folders }: HopTopology): string[] {
  const { publicKey } = new X509Certificate(readFileSync(`${folders.state}/tls-cert.pem`));
  const sum = hash("sha256", publicKey.export({ type: "spki", format: "der" }), "base64");
  return [`--ignore-certificate-errors-spki-list=${sum}`];
}

export const guestLan = "guest0";
const twoLans = { lan_iface: "lan0", more_lan_ifaces: [guestLan], wan_iface: uplinks[0], default_egress: "block" };

/** The last address of the LAN, so that other devices can count from 1. */
const laptopHostNumber = 9;
const admin = { username: "ana", password: "a long enough password" };
/** An admin key ends the first start: tests that go through the wizard use an operator key instead. */
const settings = (configured: boolean) => ({
  listen: { api_addr: "0.0.0.0:8080" },
  auth: {
    enabled: true,
    api_keys: [{ key: randomBytes(32).toString("hex"), role: configured ? "admin" : "operator", name: "lab" }],
  },
  limits: { requests_per_minute: 1_000_000, logins_per_minute: 10_000 },
});
