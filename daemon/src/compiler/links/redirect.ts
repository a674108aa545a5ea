import { userOf } from "../../engines/sandbox/sandbox.model.ts";
import { routedMark } from "../../engines/nftables/marks.model.ts";
import { directEgress } from "../../engines/nftables/nftables.model.ts";
import type { Redirect } from "../../engines/nftables/redirect/redirect.model.ts";
import { type Links, listenerInterface, listeners, outerHopMark, outerHopOf, upstreams } from "./links.ts";
import { type Facts, proxyInterface } from "../input/facts.ts";
import type { Intent, IntentProxy } from "../input/intent.ts";
import { egressNumber, type KernelIds } from "../egress/kernel-ids.ts";
import { dnsRedirectRules, type ResolverInstance } from "../dns/resolver-instances.ts";
import { type Egresses, egressNameVia } from "../egress/egresses.ts";

interface RedirectInput {
  readonly intent: Intent;
  readonly facts: Facts;
  readonly redsocks: Links["redsocks"];
  readonly instances: readonly ResolverInstance[];
  readonly egresses: Egresses;
  readonly kernelIds: KernelIds;
}

/** Which connections are redirected to proxies and resolvers, and by which egress the programs' own packets leave. */
export function compileRedirect(input: RedirectInput): Redirect {
  const { intent, facts, redsocks, instances, egresses, kernelIds } = input;
  return {
    lan: intent.network.lan,
    redirectors: upstreams(intent).flatMap((proxy) => {
      const program = redsocks.find(({ name }) => name === proxy.id);
      if (!program) return [];
      return [
        {
          name: proxy.id,
          egresses: egressesOf(proxy, egresses, kernelIds),
          port: program.port,
          server: program.server,
          mark: outerHopMark(proxy.id, facts, kernelIds),
          interface: outerHopOf(proxy.id, facts) ?? intent.network.wan,
        },
      ];
    }),
    listeners: listeners(intent).flatMap((proxy) => {
      const leaves = listenerInterface(proxy, intent);
      if (leaves === undefined) return [];
      const egress = proxy.tunnelId === null ? directEgress : egressNumber(leaves, kernelIds);
      const { port } = proxy.at;
      return [{ name: proxy.id, port, userId: userOf(port), mark: routedMark(egress), interface: leaves }];
    }),
    dns: dnsRedirectRules(intent, instances, egresses, kernelIds),
  };
}

/** Egresses of policies that fail closed, and of policies that fail open. */
function egressesOf(proxy: IntentProxy, { egresses }: Egresses, kernelIds: KernelIds): number[] {
  const names = [false, true].map((failsOpen) => egressNameVia(proxyInterface(proxy), failsOpen));
  return egresses.filter(({ name }) => names.includes(name)).map(({ name }) => egressNumber(name, kernelIds));
}
