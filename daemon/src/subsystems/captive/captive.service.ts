import { because, explainedAll, type Reason } from "@portcullis/contract/reason";
import { contains, formatAddress, parseAddress, parseCidr } from "../../net/addresses.ts";
import type { InputOf } from "@portcullis/contract/endpoint";
import type { Caller } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import { admits } from "@portcullis/contract/role";
import type { captive, CaptiveCheck } from "@portcullis/contract/subsystems/captive";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { resolve } from "../resources.ts";

type Body = NonNullable<InputOf<typeof captive.check>["body"]>;

/** The result of a probe. */
interface PortalCheck {
  readonly uplink: string;
  readonly state: CaptiveCheck["state"];
  /** The redirects; the first is the probe URL. */
  readonly steps: readonly Stop[];
  readonly evidence: readonly Reason[];
  /** Networks without a portal: the LANs, the gateway itself, and servers that devices must not connect to directly. */
  readonly inside: readonly string[];
}

interface Stop {
  readonly url: string;
  readonly host: string;
  readonly addresses: readonly string[];
}

interface PortalAccess {
  readonly device_id: string;
  readonly duration_min: number;
  readonly destinations: readonly string[];
  readonly answers: readonly { readonly name: string; readonly addresses: readonly string[] }[];
  readonly reason: string;
}

interface Opened {
  readonly id: string;
  readonly expires_at: string;
  readonly enforced: boolean;
}

interface Needs {
  readonly ledger: Ledger;
  readonly checkPortal: () => Promise<PortalCheck>;
  /** Creates the exception; resolves when it is in force. */
  readonly open: (cause: Cause, access: PortalAccess) => Promise<Opened>;
  readonly now: () => Date;
}

const defaultMinutes = 10;
/** A portal needs few addresses, and each is reachable in the clear. */
const maxAddresses = 16;

/** Detects a captive portal, and opens only its addresses to one device. */
export function captiveService({ ledger, checkPortal, open, now }: Needs) {
  return {
    check: async (body: Body | undefined, caller: Caller | undefined, cause: Cause): Promise<CaptiveCheck> => {
      const word = body?.open_for;
      if (word !== undefined && !(caller && admits("operator", caller.role)))
        throw new Problem("forbidden", {}, { message: "open_for requires the role operator" });
      // An unknown device is refused before the probe.
      const deviceId = word === undefined ? undefined : resolve(ledger.staged("device"), "open_for", word);
      // Recorded whatever the result: the probe contacts a foreign server.
      ledger.change(cause, (draft) => draft.about(deviceId ?? "uplink"));
      const seen = await checkPortal();
      const portal = portalIn(seen);
      const evidence = [...seen.evidence, ...portal.refused];
      const opened =
        deviceId === undefined
          ? undefined
          : await open(cause, {
              device_id: deviceId,
              duration_min: body?.duration_min ?? defaultMinutes,
              reason: `The portal at ${portal.url ?? seen.uplink}`,
              ...requiredAccess(seen, portal, evidence),
            });
      return {
        checked_at: now().toISOString(),
        uplink: seen.uplink,
        state: seen.state,
        portal_url: portal.url,
        portal_addresses: portal.addresses,
        ...explainedAll(
          "evidence",
          opened?.enforced === false ? [...evidence, because("portal_not_in_force")] : evidence,
        ),
        exception_id: opened?.id ?? null,
        expires_at: opened?.expires_at ?? null,
      };
    },
  };
}

function requiredAccess(
  { state }: PortalCheck,
  { addresses, answers }: Portal,
  evidence: readonly Reason[],
): Pick<PortalAccess, "destinations" | "answers"> {
  const why =
    state === "open"
      ? "There is no captive portal"
      : state === "offline"
        ? "No server answers, not even a portal"
        : addresses.length === 0
          ? "The address of the portal is unknown"
          : undefined;
  if (why !== undefined)
    throw new Problem(
      "conflict",
      { state, ...explainedAll("evidence", evidence) },
      { message: `${why}, so nothing was opened` },
    );
  return { destinations: addresses, answers };
}

interface Portal {
  readonly url: string | null;
  readonly addresses: string[];
  readonly answers: { name: string; addresses: string[] }[];
  /** The addresses that were refused. */
  readonly refused: Reason[];
}

/**
 * The portal is the target of the redirects. The address of the probe URL belongs to another server, unless the portal answers
 * in its place without a redirect.
 */
export function portalIn({ state, steps, inside }: Pick<PortalCheck, "state" | "steps" | "inside">): Portal {
  const none: Portal = { url: null, addresses: [], answers: [], refused: [] };
  const [first, ...led] = steps;
  if (state !== "captive" || !first) return none;
  const networks = inside.flatMap((it) => parseCidr(it) ?? []);
  const targets = led.length > 0 ? led : [first];
  const refused = new Map<string, Reason>();
  const open = new Map<string, string[]>();
  const all = new Set<string>();
  for (const { host, addresses } of targets) {
    for (const text of addresses) {
      const address = parseAddress(text);
      if (!address) continue;
      const written = formatAddress(address);
      if (isNeverPortal(written) || networks.some((it) => contains(it, address))) {
        refused.set(`${host} ${written}`, because("portal_refused", { host, address: written }));
      } else if (all.has(written) || all.size < maxAddresses) {
        all.add(written);
        open.set(host, [...new Set([...(open.get(host) ?? []), written])]);
      }
    }
  }
  const answers = [...open].filter(([host]) => !parseAddress(host)).map(([name, addresses]) => ({ name, addresses }));
  return { url: targets[0]!.url, addresses: [...all], answers, refused: [...refused.values()] };
}

/** Loopback, multicast and link-local addresses. */
const isNeverPortal = (address: string): boolean =>
  ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3", "::/127", "fe80::/10", "ff00::/8"]
    .flatMap((it) => parseCidr(it) ?? [])
    .some((network) => contains(network, parseAddress(address)!));
