import { api } from "@portcullis/contract/api";
import { createClient } from "@portcullis/contract/client";
import type { Target } from "./address.ts";
import { Misuse, Unreachable } from "./failure.ts";
import type { KnownGateways } from "./known-gateways.ts";
import { sendTo } from "./send.ts";

/** What `portcullis login` needs of the terminal. */
export interface Terminal {
  /** A line that is typed without echo; all of standard input if it is not a terminal. */
  readonly readSecret: (prompt: string) => Promise<string>;
  /** Whether the user typed yes; false without a terminal. */
  readonly confirm: (prompt: string) => Promise<boolean>;
}

/** Checks a key with the gateway and stores it, together with the pin of the gateway's certificate. */
export async function login(
  target: Target,
  known: KnownGateways,
  { readSecret, confirm }: Terminal,
  expectedPin: string | undefined,
): Promise<string> {
  const origin = originOf(target);
  const pin = await acceptedPin(target, known.get(origin).pin ?? expectedPin, confirm);
  const key = (await readSecret(`API key for ${origin}: `)).trim();
  if (key === "") throw new Misuse("No key was given");
  const judge = (peer: { readonly pin: string; readonly isVerified: boolean }) => {
    if (pin === undefined ? !peer.isVerified : peer.pin !== pin)
      throw new Unreachable(`The certificate of ${origin} changed during the login. The key was not sent`);
  };
  const { via, role, actor } = await createClient(api, sendTo(target, { key, judge })).auth.status();
  if (via !== "key")
    throw new Misuse(
      via === "open" ? `${origin} needs no key: authentication is off` : `${origin} does not accept this key`,
    );
  known.set(origin, { key, ...(pin !== undefined && { pin }) });
  return `Logged in to ${origin} as ${actor} (${role}). The key is in ${known.path}.\n`;
}

export function logout(target: Target, known: KnownGateways): string {
  const origin = originOf(target);
  return known.forget(origin)
    ? `The stored key and certificate of ${origin} were removed. The key itself is still valid: revoke it on the gateway.\n`
    : `Nothing was stored for ${origin}.\n`;
}

function originOf(target: Target): string {
  if (target.kind === "http") return target.origin;
  throw new Misuse("On the gateway itself no login is needed; GATEWAY_ADDR selects another gateway");
}

/** The pin that the gateway must have; none if a certificate authority signed its certificate. */
async function acceptedPin(
  target: Target,
  expected: string | undefined,
  confirm: Terminal["confirm"],
): Promise<string | undefined> {
  if (expected !== undefined || originOf(target).startsWith("http:")) return expected;
  const peer = await peerOf(target);
  if (peer.isVerified) return undefined;
  const prompt =
    `${originOf(target)} has a self-signed certificate, with the key\n  ${peer.pin}\n` +
    `Does "portcullis status" on the gateway itself show this tls_pin? Type yes: `;
  if (await confirm(prompt)) return peer.pin;
  throw new Unreachable(
    `The certificate of ${originOf(target)} was not accepted. Nothing was sent. PORTCULLIS_PIN=${peer.pin} accepts it`,
  );
}

/** One request without a credential shows the certificate. */
async function peerOf(target: Target) {
  const seen: { pin: string; isVerified: boolean }[] = [];
  await createClient(api, sendTo(target, { key: undefined, judge: (peer) => void seen.push(peer) })).auth.status();
  return seen[0]!;
}
