import { sentence } from "@portcullis/contract/reason";
import type { DnsPlan } from "../../compiler/dns/dns-plan.ts";
import type { DnsProxy } from "../../engines/dns-proxy/dns-proxy.model.ts";
import { type Frontend, nsdPort } from "../../engines/dnsdist/dnsdist.model.ts";
import type { Authority } from "../../engines/nsd/nsd.model.ts";
import { renderZone } from "../../engines/nsd/zone.render.ts";
import { userOf } from "../../engines/sandbox/sandbox.model.ts";
import type { ProgramState } from "../../engines/sandbox/program-state.model.ts";
import type { Signatures } from "../../engines/unbound/dnssec.ts";
import type { Validator } from "../../engines/unbound/unbound.model.ts";

/** The desired state of the resolver engines. */
export interface Wanted {
  readonly nsd: Authority | null;
  readonly unbound: readonly Validator[];
  readonly dnsProxy: readonly DnsProxy[];
  readonly dnsdist: readonly Frontend[];
  readonly formerDnsProxies: readonly DnsProxy[];
}

/** No resolver runs. */
export const nothing: Wanted = { nsd: null, unbound: [], dnsProxy: [], dnsdist: [], formerDnsProxies: [] };

/** `ignoresDates`: the gateway's clock is wrong, so the dates of signatures cannot be checked. */
export const wantedFor = (
  { frontends, validators, forwarders, zones }: DnsPlan["programs"],
  ignoresDates: boolean,
): Wanted => ({
  nsd:
    frontends.length === 0
      ? null
      : {
          port: nsdPort,
          userId: userOf(nsdPort),
          zones: zones.map((zone) => ({ name: zone.name, text: renderZone(zone) })),
        },
  unbound: validators.map((it) => ({ ...it, ignoresDates })),
  dnsProxy: forwarders,
  dnsdist: frontends,
  formerDnsProxies: forwarders,
});

/** Why devices get no answers that can be trusted: a program that does not run, or an upstream without valid signatures. */
export function troubleOf(
  frontends: readonly Pick<Frontend, "number" | "egress">[],
  states: readonly Pick<ProgramState, "kind" | "name" | "problem">[],
  signaturesOf: (number: number) => Signatures,
): string | undefined {
  const broken = states.find(({ kind }) => kind === "broken");
  if (broken) return `${broken.name}: ${broken.problem ? sentence(broken.problem) : broken.kind}`;
  const untrusted = frontends.find(({ number }) => ["stripped", "unverified"].includes(signaturesOf(number)));
  return untrusted && `${untrusted.egress}: ${signatureSentences[signaturesOf(untrusted.number)]}`;
}

/** Why the answers of a validator cannot be trusted, with what helps. */
export const signatureSentences: Readonly<Record<Signatures, string>> = {
  valid: "",
  stripped:
    "DNSSEC fails for every query, because the upstream resolvers return no signatures: use other upstreams " +
    `(\`portcullis forwarders create\`), or \`portcullis dns configure '{"dnssec": false}'\``,
  some:
    "DNSSEC fails for part of the queries, because some upstream resolvers return no signatures: use others " +
    `(\`portcullis forwarders\`), or \`portcullis dns configure '{"dnssec": false}'\``,
  unverified:
    "DNSSEC fails for every query, because the signatures of the upstream resolvers do not match the trust anchor: check " +
    `dns.trust_anchors, or \`portcullis dns configure '{"dnssec": false}'\``,
};
