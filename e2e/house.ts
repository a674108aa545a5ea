import { hash, randomBytes, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Household, openHousehold } from "../lab/topology-hops.ts";
import { openLab } from "../lab/namespaces.ts";
import { openResolving, type Resolving } from "../lab/topology-dns.ts";
import type { Device } from "../lab/topology-devices.ts";
import { type LabBrowser, openBrowser } from "./browser.ts";

/** A household with the built daemon as its gateway, and a laptop on the LAN with a browser that reaches it. */
export interface House extends AsyncDisposable {
  readonly household: Household;
  /** Present where the gateway answers for names. */
  readonly resolving: Resolving | undefined;
  readonly laptop: Device;
  readonly browser: LabBrowser;
  readonly origin: string;
  readonly admin: { readonly username: string; readonly password: string };
  /** A key of this role, for a person or a program. */
  key(role: Role): Promise<string>;
}
export type Role = "admin" | "operator" | "viewer" | "diagnostics";

export const gatewayOrigin = "https://10.0.0.1:8080";

interface Options {
  /** Whether the gateway answers for names: costs some seconds more. */
  readonly names?: boolean;
  /** Whether somebody has gone through the first start already. */
  readonly configured?: boolean;
  /** How long the first enforcement waits for its confirmation; 0: it was confirmed long ago. */
  readonly confirmFirstSec?: number;
}

export async function openHouse({
  names = false,
  configured = true,
  confirmFirstSec = 0,
}: Options = {}): Promise<House> {
  const stack = new AsyncDisposableStack();
  try {
    const lab = stack.use(openLab());
    const config = { ...settings(configured), dataplane: { enabled: true, confirm_first_sec: confirmFirstSec } };
    const resolving = names ? stack.use(await openResolving(lab, { resolvers: ["r1"], settings: config })) : undefined;
    const household = resolving?.house ?? stack.use(await openHousehold(lab, config));
    const laptop = await household.net.device("laptop", laptopPlace);
    const browser = stack.use(await openBrowser(laptop, gatewayOrigin, { args: trusting(household) }));
    if (configured) await household.ask.ok("POST", "/auth/setup", admin);
    return {
      household,
      resolving,
      laptop,
      browser,
      origin: gatewayOrigin,
      admin,
      key: async (role) =>
        ((await household.ask.ok("POST", "/auth/keys", { name: role, role })) as { readonly key: string }).key,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** The browser trusts the certificate that the daemon has made, as a person's does who has installed it. */
export function trusting({ folders }: Household): string[] {
  const { publicKey } = new X509Certificate(readFileSync(`${folders.state}/tls-cert.pem`));
  const sum = hash("sha256", publicKey.export({ type: "spki", format: "der" }), "base64");
  return [`--ignore-certificate-errors-spki-list=${sum}`];
}

/** The last of the LAN's places, so that others have theirs from 1 on. */
const laptopPlace = 9;
const admin = { username: "ana", password: "a long enough password" };
/** An admin key ends the first start: where a person goes through it, the lab is an operator. */
const settings = (configured: boolean) => ({
  listen: { api_addr: "0.0.0.0:8080" },
  auth: {
    enabled: true,
    api_keys: [{ key: randomBytes(32).toString("hex"), role: configured ? "admin" : "operator", name: "lab" }],
  },
  limits: { requests_per_minute: 1_000_000, logins_per_minute: 10_000 },
});
