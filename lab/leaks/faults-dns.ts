import { setTimeout as wait } from "node:timers/promises";
import { linux } from "../../daemon/src/system/system.ts";
import { type Fault, holds, shows } from "./fault.ts";

/** Resolvers are dead, or the device queries others. */
export const dnsFaults: readonly Fault[] = [
  {
    number: 27,
    name: "resolver dies",
    cites: ["T-degraded-6", "T-always-12"],
    strike: async ({ dns: { topology } }) => {
      const programs = () => [...topology.processes()].filter(([name]) => /^(?:dnsdist|unbound|nsd)\./.test(name));
      const died = programs();
      // Twice: once those that ask on behalf of others, and once their successors.
      for (let left = 2; left > 0; left -= 1) {
        for (const [, processId] of programs()) linux.signal(processId, "SIGKILL");
        await wait(700);
      }
      const living = new Set(programs().map(([, processId]) => processId));
      return holds(
        died.length > 2 && died.every(([, processId]) => !living.has(processId)),
        `${died.length} programs that answer for names were killed, and their successors`,
      );
    },
  },
  {
    number: 28,
    name: "all upstreams dead",
    cites: ["T-degraded-6"],
    strike: async (topology) => {
      for (const resolver of topology.dns.resolvers) await resolver.silence();
      await wait(1500);
      // Answers in flight may still arrive.
      let before = (await topology.senderReport()).answered;
      return shows("no name was answered any more", async () => {
        await wait(700);
        const last = before;
        before = (await topology.senderReport()).answered;
        return before.names4 === last.names4 && before.names6 === last.names6;
      });
    },
    heal: async ({ dns }) => {
      for (const resolver of dns.resolvers) await resolver.recover();
    },
  },
  {
    number: 29,
    name: "device has private and public resolvers of its own",
    cites: ["T-protected-1", "T-always-1"],
    strike: async (topology) => {
      const destinations = ["10.99.0.53", "192.168.1.1", "9.9.9.9", "1.1.1.1", "fd99::53", "2620:fe::fe"];
      await topology.sender.alsoTo(destinations.map((address) => [address, 53] as const));
      await wait(1000);
      topology.hops.second.freeze();
      await wait(500);
      topology.hops.second.thaw();
      return `it queried ${destinations.length} resolvers of its own, private and public ones`;
    },
    heal: async ({ sender }) => void (await sender.alsoTo([])),
  },
];
