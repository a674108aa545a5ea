import { because, type Reason } from "@portcullis/contract/reason";
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
): Reason | undefined {
  const broken = states.find(({ kind }) => kind === "broken");
  if (broken) return because("dns_part", { part: broken.name, why: broken.problem ?? because("program_ended") });
  for (const { number, egress: part } of frontends) {
    const signatures = signaturesOf(number);
    if (signatures === "stripped" || signatures === "unverified")
      return because("dns_part", { part, why: because(`dnssec_${signatures}`) });
  }
  return undefined;
}
