import { userOf } from "../../engines/confinement/confinement.model.ts";
import { routedMark } from "../../engines/nftables/marks.model.ts";
import { directEgress } from "../../engines/nftables/nftables.model.ts";
import type { Proxies } from "../../engines/nftables/proxies.model.ts";
import { beforeOf, carry, listeners, listenerWay, markBefore, upstreams } from "./links.ts";
import { type Facts, proxyInterface } from "../input/facts.ts";
import type { Intent, IntentProxy } from "../input/intent.ts";
import { egressNumber, type Numbers } from "../egress/kernel-ids.ts";
import { nameRules, type Stack } from "../dns/resolver-instances.ts";
import { type Ways, wayName } from "../egress/egresses.ts";

/** What the kernel does for proxies: whose connections are bent to them, and by which way their own packets leave. */
export function proxyRules(
  intent: Intent,
  facts: Facts,
  stacks: readonly Stack[],
  ways: Ways,
  numbers: Numbers,
): Proxies {
  const { redsocks } = carry(intent, facts, numbers);
  return {
    lan: intent.network.lan,
    redirectors: upstreams(intent).flatMap((proxy) => {
      const program = redsocks.find(({ name }) => name === proxy.id);
      if (!program) return [];
      return [
        {
          name: proxy.id,
          egresses: egressesOf(proxy, ways, numbers),
          port: program.port,
          server: program.server,
          mark: markBefore(proxy.id, facts, numbers),
          interface: beforeOf(proxy.id, facts) ?? intent.network.wan,
        },
      ];
    }),
    listeners: listeners(intent).flatMap((proxy) => {
      const leaves = listenerWay(proxy, intent);
      if (leaves === undefined) return [];
      const egress = proxy.tunnelId === null ? directEgress : egressNumber(leaves, numbers);
      const { port } = proxy.at;
      return [{ name: proxy.id, port, userId: userOf(port), mark: routedMark(egress), interface: leaves }];
    }),
    names: nameRules(intent, stacks, ways, numbers),
  };
}

/** Those of policies that fail closed, and those of policies that fail open. */
function egressesOf(proxy: IntentProxy, { ways }: Ways, numbers: Numbers): number[] {
  const names = [false, true].map((failsOpen) => wayName(proxyInterface(proxy), failsOpen));
  return ways.filter(({ name }) => names.includes(name)).map(({ name }) => egressNumber(name, numbers));
}
