import { X509Certificate } from "node:crypto";
import type { Announce, EventName } from "@portcullis/contract/events";
import { because, explained, type Reason } from "@portcullis/contract/reason";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import type { CertificateEnd } from "../system/web.ts";
import {
  certificateState,
  type CertificateState,
  type HeldCertificate,
  withoutReplaced,
} from "./certificates.machine.ts";

/** Certificates of one file or block, in PEM. */
export interface CertificateSource {
  /** `API`, `Oslo (ca)` */
  readonly owner: string;
  readonly pem: string;
}

/** A server that alerts are sent to. */
export interface Receiver {
  /** Of its alert channel, as the name and the type. */
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly server: string;
}

interface Needs {
  /** What the gateway uses now. */
  readonly sources: () => readonly CertificateSource[];
  /** The receiver of a channel; undefined: no alerts are sent by it. */
  readonly receiver: (channelId: string) => Receiver | undefined;
  /** Why the API server does not use the certificate that it should. */
  readonly trouble: () => Reason | undefined;
  readonly announce: Announce;
  /** Whether a certificate that was not read before was reported in this state, by an earlier daemon. */
  readonly wasReported: (id: string, state: CertificateState) => boolean;
  readonly nowMs: () => number;
}

interface Owned extends HeldCertificate {
  readonly owners: readonly string[];
  /** Its end is not known: a server was refused at that time, because its certificate has expired. */
  readonly isRefused?: boolean;
}

interface ShownCertificate extends Owned {
  readonly server: string;
  readonly atMs: number;
}

interface Checked extends Owned {
  readonly state: CertificateState;
}

/** Which certificates of the gateway expire. No server is contacted to read its certificate. */
export function certificateMonitor({ sources, receiver, trouble, announce, wasReported, nowMs }: Needs) {
  const read = pemReader();
  /** By channel: of receivers that the gateway was connected to. */
  const received = new Map<string, ShownCertificate>();
  let known: ReadonlyMap<string, Checked> = new Map();
  let unreadable: readonly Reason[] = [];
  let isRead = false;

  function round(): void {
    const now = nowMs();
    for (const [id, { server }] of received) if (receiver(id)?.server !== server) received.delete(id);
    const found = read(sources());
    const before = known;
    const held = merged(found.certificates).map((it) => ({ ...it, state: certificateState(it, now) }));
    known = new Map([...held, ...receivers(now)].map((it) => [it.id, it]));
    unreadable = found.unreadable;
    isRead = true;
    for (const it of known.values()) {
      const was = before.get(it.id)?.state ?? (wasReported(it.id, it.state) ? it.state : "valid");
      if (it.state === was) continue;
      if (it.state === "valid") announce("certificate.renewed", shortOf(it));
      else announce(events[it.state], { ...shortOf(it), ...explained(whatIsWrong(it, it.state)) });
    }
    for (const it of before.values())
      if (it.state !== "valid" && !known.has(it.id)) announce("certificate.renewed", shortOf(it));
  }

  /** What was seen long ago may have been replaced: no such certificate expires, and none that expires is forgotten. */
  const receivers = (now: number): Checked[] =>
    [...received.values()]
      .map((it) => ({ ...it, state: certificateState(it, Math.min(now, it.atMs + knownForMs)) }))
      .filter(({ state, atMs }) => state !== "valid" || now - atMs <= knownForMs);

  return {
    round,
    /** Remembers the certificate of a receiver, from a connection that was made to send an alert. */
    shown: ({ id, name, type, server }: Receiver, end: CertificateEnd): void => {
      const [key, now] = [`${channelPrefix}${id}`, nowMs()];
      const last = received.get(id);
      // Its end is known if it was accepted before.
      const ended = last && last.untilMs <= now ? last : { untilMs: now, isRefused: true };
      const { untilMs, isRefused } = end === "expired" ? ended : { untilMs: end.getTime(), isRefused: false };
      const certificate = { id: key, subject: type, owners: [name], fromMs: 0, untilMs, server, atMs: now };
      received.set(id, { ...certificate, ...(isRefused && { isRefused }) });
    },
    /** Whether it was read and is valid, or is not used any more. That of a receiver is known with the first message. */
    isValid: (id: string): boolean => {
      const state = known.get(id)?.state;
      if (!isRead || state !== undefined) return isRead && state === "valid";
      return !(id.startsWith(channelPrefix) && receiver(id.slice(channelPrefix.length)));
    },
    component: (): Component =>
      shown(
        [...known.values()],
        [trouble(), ...unreadable].filter((it) => it !== undefined),
      ),
  };
}

const channelPrefix = "channel:";
/** A server that was not contacted for so long may have another certificate. */
const knownForMs = 7 * 86_400_000;

const events = {
  expiring: "certificate.expiring",
  expired: "certificate.expired",
  "not-yet-valid": "certificate.not_yet_valid",
} as const satisfies Readonly<Record<string, EventName>>;

function whatIsWrong({ owners, subject, fromMs, untilMs, isRefused }: Owned, state: keyof typeof events): Reason {
  const at = (ms: number) => ({ owners, subject, at: new Date(ms).toISOString() });
  if (isRefused) return because("certificate_refused", at(untilMs));
  if (state === "expiring") return because("certificate_expiring", at(untilMs));
  return state === "expired"
    ? because("certificate_expired", at(untilMs))
    : because("certificate_not_yet_valid", at(fromMs));
}

const shortOf = ({ id, owners, subject, untilMs }: Owned) => ({
  id,
  name: owners[0] ?? "",
  subject,
  expires_at: new Date(untilMs).toISOString(),
});

function shown(all: readonly Checked[], others: readonly Reason[]): Component {
  const wrong = all.flatMap((it) => (it.state === "valid" ? [] : [whatIsWrong(it, it.state)]));
  const troubles = [...wrong, ...others];
  if (troubles.length > 0)
    return component("certificates", "degraded", because("certificates_attention", { troubles }));
  const [next] = all.toSorted((a, b) => a.untilMs - b.untilMs);
  if (!next) return component("certificates", "off", because("certificates_none"));
  const { owners, subject, untilMs } = next;
  const at = new Date(untilMs).toISOString();
  return component(
    "certificates",
    "ok",
    because("certificates_valid", { certificates: all.length, owners, subject, at }),
  );
}

/** One certificate that several tunnels use is one. */
function merged(all: readonly Owned[]): readonly Owned[] {
  const byId = new Map<string, Owned>();
  for (const it of all)
    byId.set(it.id, {
      ...it,
      owners: [...new Set([...(byId.get(it.id)?.owners ?? []), ...it.owners])].slice(0, maxOwners),
    });
  return [...byId.values()];
}

const maxOwners = 8;

type Parsed = HeldCertificate | { readonly failure: string };

/** Reads PEM, and remembers what it has read: the sources seldom change. */
function pemReader() {
  let parsed: ReadonlyMap<string, readonly Parsed[]> = new Map();
  return (sources: readonly CertificateSource[]) => {
    parsed = new Map(sources.map(({ pem }) => [pem, parsed.get(pem) ?? partsOf(pem).map(parse)]));
    const unreadable: Reason[] = [];
    const certificates = sources.flatMap(({ owner, pem }): readonly Owned[] => {
      const parts = parsed.get(pem) ?? [];
      for (const it of parts)
        if ("failure" in it) unreadable.push(because("certificate_unreadable", { owner, why: it.failure }));
      return withoutReplaced(parts.filter((it) => "id" in it)).map((it) => ({ ...it, owners: [owner] }));
    });
    return { certificates, unreadable };
  };
}

const partsOf = (pem: string): readonly string[] =>
  pem.match(/-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END \1?CERTIFICATE-----/g) ?? [];

function parse(pem: string): Parsed {
  try {
    const { fingerprint256, subject, validFromDate, validToDate } = new X509Certificate(pem);
    const named = /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll("\n", ", ");
    return {
      id: fingerprint256.replaceAll(":", "").toLowerCase(),
      subject: named.slice(0, 200),
      fromMs: validFromDate.getTime(),
      untilMs: validToDate.getTime(),
    };
  } catch (error) {
    return { failure: (error as Error).message };
  }
}
