/** A defect that lets something out, or is too slow, as an edit of the sources, and the test that must name it. */
export interface PlantedLeak {
  readonly name: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Project of the test runner, its file, and the beginning of the title that must fail. */
  readonly project: "unit" | "lab*";
  readonly test: string;
  readonly title: string;
  /** Beginnings of the titles of tests that it continues from. */
  readonly after?: readonly string[];
  /** The test misses its deadline and breaks no invariant: a warning of the gate, and a failure of the proof. */
  readonly isDelay?: true;
}

const engines = "daemon/src/engines";

/*
 * Each of these gets past all layers: what only one of several layers would miss is a matter of `npm run leak-layers`.
 */
export const plantedLeaks: readonly PlantedLeak[] = [
  {
    name: "an exception that does not end in the kernel",
    file: `${engines}/nftables/steering/exceptions.render.ts`,
    find: "...(untilMs !== null && { untilMs }),",
    replace: "...(untilMs === 0 && { untilMs }),",
    project: "lab*",
    test: "lab/journeys/exceptions.lab.test.ts",
    title: "an exception ends in the kernel while the daemon is dead",
    after: ["the device leaves by the tunnel: every flow"],
  },
  {
    name: "DNS queries of a tunnel's devices answered by the resolver of the uplink",
    file: `${engines}/nftables/redirect/dns-redirect.render.ts`,
    find: "elements: resolverPorts.map(({ egress, port }) =>",
    replace: "elements: resolverPorts.map(({ egress, port: own }, _, [{ port = own } = {}]) =>",
    project: "lab*",
    test: "lab/journeys/dns-egress.lab.test.ts",
    title: "every device's DNS queries leave through its own egress",
  },
  {
    name: "packets of devices to the servers of tunnels",
    file: `${engines}/nftables/guard/guard.render.ts`,
    find: "...(servers.length === 0\n      ? []",
    replace: "...(servers.length >= 0\n      ? []",
    project: "lab*",
    test: "lab/journeys/guard-servers.lab.test.ts",
    title: "a device that may go direct reaches every host, but none of the servers of tunnels",
  },
  {
    name: "a guard for the boot that lets marked packets pass",
    file: "daemon/src/planes/forwarding/saved-guard.ts",
    find: "renderGuard({ ...guard, pairs: [] })",
    replace: "renderGuard({ ...guard })",
    project: "lab*",
    test: "lab/journeys/guard-boot.lab.test.ts",
    title: "the saved guard blocks everything, whatever mark another program sets",
  },
  {
    name: "a captive portal that opens every destination",
    file: "daemon/src/compiler/policy/exceptions.ts",
    find: "lasting.filter(({ destinations }) => destinations.length === 0)",
    replace: "lasting.filter(({ destinations }) => destinations.length >= 0)",
    project: "lab*",
    test: "lab/journeys/captive.lab.test.ts",
    title: "opened for the phone, it reads the portal by name",
    after: ["before a check", "control: every kind of packet", "the portal is found by the uplink's own address"],
  },
  {
    name: "IPv6 of a device for which it is switched off",
    file: `${engines}/nftables/steering/controls.render.ts`,
    find: '["meta nfproto ipv6 goto stopped_ipv6"]',
    replace: "[]",
    project: "lab*",
    test: "lab/journeys/controls.lab.test.ts",
    title: "each control stops what it is about",
  },
  {
    name: "a public address that an OpenVPN server assigns to the gateway",
    file: `${engines}/openvpn/assigned.model.ts`,
    find: "if (!inner.some((it) => overlaps(it, address)))",
    replace: "if (inner.length === 0)",
    project: "lab*",
    test: "lab/engines/openvpn.lab.test.ts",
    title: "OpenVPN client: hostile pushes take no address and no route of the gateway",
  },
  {
    name: "a chain that ends after its first hop",
    file: "daemon/src/compiler/policy/outcome.ts",
    find: "const last = found.at(-1)!;",
    replace: "const last = found[0]!;",
    project: "lab*",
    test: "lab/journeys/chains.lab.test.ts",
    title: "every chain forwards for its client, and the web server sees the last hop only",
  },
  {
    name: "packets into a connection of the gateway from another interface (CVE-2019-14899)",
    file: `${engines}/nftables/guard/guard.render.ts`,
    find: '"ct status ! snat fib daddr . iif type != { local, broadcast, multicast } jump wrong_interface",',
    replace: "",
    project: "lab*",
    test: "lab/journeys/guard.lab.test.ts",
    title: "a connection of the gateway receives packets by the interface that has its address",
  },
  {
    name: "a device whose group has a policy, taken for an unknown one",
    file: "daemon/src/compiler/policy/decide.ts",
    find: "for (const group of groupIds) rank = Math.min(rank, named.group.get(group) ?? unmatched);",
    replace: "if (groupIds.length > 9) rank = unmatched;",
    project: "unit",
    test: "daemon/src/compiler/policy/evaluate.test.ts",
    title: "evaluate: the tables decide as the first matching policy",
  },
  {
    name: "a prober that detects a dead peer three seconds later",
    file: "daemon/src/health/probe.ts",
    find: "const untilMs = nowMs() + limitMs;",
    replace: "const untilMs = nowMs() + limitMs + 3000;",
    project: "lab*",
    test: "lab/engines/health.lab.test.ts",
    title: "a peer that falls silent has failed within two seconds",
    isDelay: true,
  },
];
