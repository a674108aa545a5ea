import { X509Certificate } from "node:crypto";
import type { Announce, EventName } from "@portcullis/contract/events";
import { because, explained, type Reason } from "@portcullis/contract/reason";
import { type Component, component } from "@portcullis/contract/subsystems/status";
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

interface Needs {
  /** What the gateway uses now. */
  readonly sources: () => readonly CertificateSource[];
  /** Why the API server does not use the certificate that it should. */
  readonly trouble: () => Reason | undefined;
  readonly announce: Announce;
  /** Whether a certificate that was not read before was reported in this state, by an earlier daemon. */
  readonly wasReported: (id: string, state: CertificateState) => boolean;
  readonly nowMs: () => number;
}

interface Owned extends HeldCertificate {
  readonly owners: readonly string[];
}

interface Checked extends Owned {
  readonly state: CertificateState;
}

/** Which certificates of the gateway expire. No server is contacted to read its certificate. */
export function certificateMonitor({ sources, trouble, announce, wasReported, nowMs }: Needs) {
  const read = pemReader();
  /** By host: of servers that the gateway was connected to. */
  const seen = new Map<string, HeldCertificate & { readonly seenMs: number }>();
  let known: ReadonlyMap<string, Checked> = new Map();
  let unreadable: readonly Reason[] = [];
  let isRead = false;

  function round(): void {
    const now = nowMs();
    for (const [host, { seenMs }] of seen) if (now - seenMs > forgottenMs) seen.delete(host);
    const found = read(sources());
    const before = known;
    known = new Map(
      merged([...found.certificates, ...[...seen].map(([host, it]) => ({ ...it, owners: [host] }))]).map((it) => [
        it.id,
        { ...it, state: certificateState(it, now) },
      ]),
    );
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

  return {
    round,
    /** Remembers the certificate of a server, from a connection that was made for another reason. */
    seen: (host: string, validTo: Date): void =>
      void seen.set(host, {
        id: `host:${host}`,
        subject: host,
        fromMs: 0,
        untilMs: validTo.getTime(),
        seenMs: nowMs(),
      }),
    /** Whether it was read and is valid, or is not used any more. */
    isValid: (id: string): boolean => isRead && (known.get(id)?.state ?? "valid") === "valid",
    component: (): Component =>
      shown(
        [...known.values()],
        [trouble(), ...unreadable].filter((it) => it !== undefined),
      ),
  };
}

/** A server that was not contacted for so long may have another certificate. */
const forgottenMs = 7 * 86_400_000;

const events = {
  expiring: "certificate.expiring",
  expired: "certificate.expired",
  "not-yet-valid": "certificate.not_yet_valid",
} as const satisfies Readonly<Record<string, EventName>>;

function whatIsWrong({ owners, subject, fromMs, untilMs }: Owned, state: keyof typeof events): Reason {
  const at = (ms: number) => ({ owners, subject, at: new Date(ms).toISOString() });
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
