/**
 * The safety subset of the lab: for each engine and each promise the smallest scenario that would show a leak, a loss or a
 * wrong answer. The other files of the lab measure time or need minutes; they run in the proof.
 */
export const safetyScenarios: Readonly<Record<string, string>> = {
  // Policies in the kernel
  "journeys/enforcement": "nftables and routing tables enforce what is published, and nothing else",
  "journeys/evaluator": "random policies: each packet leaves where the evaluator says",
  "journeys/leaks": "no leak during applies, failed applies, rollbacks, kills and foreign changes",
  "journeys/ruleset-update": "no leak of packets in flight during a ruleset update",
  "journeys/epochs": "no flow continues in the clear after all rules were lost",
  "journeys/exceptions": "an exception ends on time, also without a daemon",
  "journeys/pause-protection":
    "a pause of protection is one bypass for each of its devices, and spares devices that require a tunnel",
  "journeys/policy-windows": "what a policy with a schedule matches is blocked when its period is over",
  "journeys/senders": "forged and moved source addresses do not leave",
  "journeys/protected-sources": "protected senders that steering has lost are dropped by the guard",
  "journeys/splitting": "connections keep the tunnel they were assigned to",
  "journeys/confirm": "an unconfirmed change is rolled back, also across a kill",
  "journeys/iproute": "routing rules converge, and foreign ones stay",
  "journeys/odd-links": "links with odd names keep nothing from being enforced",
  // The guard and its layers
  "journeys/guard": "each promise of the traffic contract has a rule that keeps it",
  "journeys/guard-boot": "the early-boot guard blocks before the daemon runs",
  "journeys/guard-servers": "only a hop reaches the server of a hop",
  "journeys/lan-destinations": "replies of our own programs to a device never leave by an uplink",
  "journeys/refused": "a blocked device is refused at once, and nothing of it is seen outside",
  "journeys/controls": "each privacy control blocks what it names",
  "journeys/captive": "a captive portal opens the portal and nothing else",
  "journeys/leak-monitor": "the leak monitor detects a leak without a request",
  "leaks/matrix": "one fault of each family, all probes",
  "leaks/sequences": "two random sequences of faults",
  // Tunnels, proxies and chains
  "engines/wireguard": "WireGuard",
  "engines/openvpn": "OpenVPN",
  "journeys/openvpn-certificates": "an OpenVPN tunnel without a password connects",
  "engines/proxies": "redsocks and SOCKS5 hops",
  "engines/health": "a dead peer is detected (a deadline: late is a warning, never is a failure)",
  "engines/supervisor": "supervised processes survive the daemon and are never started twice",
  "engines/sandbox": "the sandbox of the engines refuses what none of them needs, and leaves nothing behind",
  "engines/bridge": "bridges",
  "journeys/segments": "LANs are isolated unless a segment reaches another",
  "journeys/dhcp": "clients get addresses on the LAN only, and reservations hold",
  "journeys/router-advertisements":
    "the router is advertised on the LAN only, and is withdrawn only when configured so",
  "journeys/listeners": "a SOCKS5 listener uses the egress of its user",
  "journeys/missing-programs": "a missing program blocks what depends on it and nothing else",
  // DNS
  "engines/dnsdist": "dnsdist answers as the filter policy says",
  "engines/dnsdist-encrypted": "DoT and DoH upstreams are authenticated",
  "engines/unbound": "Unbound validates DNSSEC",
  "engines/nsd": "NSD serves local zones",
  "engines/dns-proxy": "the DNS proxy for encrypted upstreams",
  "journeys/dns-per-egress": "queries of a device use its resolver and its policy",
  "journeys/dns-egress": "a query leaves through the egress of its device",
  "journeys/dns-never-early": "an address is in the kernel before its answer is sent",
  "journeys/dns-never-wrong": "random filter rules: answers are those of the evaluator",
  // Access and operation
  "journeys/first-enforcement": "an unconfirmed first enforcement is reverted, also across a kill",
  "journeys/lockout": "missing interfaces do not lock the owner out, and open nothing that was enforced",
  "journeys/api-access": "which networks may read and write the API",
  "journeys/package": "install, upgrade under traffic, removal and purge of the Debian package",
  "journeys/packaging": "the unit's sandbox",
  leftovers: "a killed test run leaves nothing behind",
};

export const scenarioFiles = Object.keys(safetyScenarios).map((name) => `lab/${name}.lab.test.ts`);
