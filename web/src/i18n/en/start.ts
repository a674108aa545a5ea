export const start = {
  subtitle: "Set up the gateway in a few steps",
  progress: "Steps",
  otherOptions: "Other ways",
  short: { account: "Account", network: "Network", tunnel: "Tunnel", classes: "Devices", proof: "Proof" },
  titles: {
    account: "Make the administrator's account",
    network: "Is this your network?",
    tunnel: "Which tunnel should protect you?",
    classes: "Who goes through it?",
    proof: "Does it hold?",
  },
  subtitles: {
    account: "There is one account. Everybody else gets a key with a role later.",
    network: "The gateway looks every two seconds; plug a cable in and see it here.",
    tunnel: "Import the file of your provider or of your own server, and switch it on.",
    classes: "Two questions. The answers go on trial for two minutes: if you are locked out, they undo themselves.",
    proof: "What the gateway does with a packet now, and what it would do with every hop down.",
  },
  back: "Back",
  later: "Finish later",
  next: "Go on",
  code: "Setup code",
  codeHint: "The gateway prints it at its start; root finds it in /var/lib/portcullis/setup-code.",
  username: "Name",
  password: "Password",
  passwordHint: "Ten characters or more; a few words in a row are easy to keep.",
  again: "The same again",
  differs: "The two passwords differ.",
  makeAccount: "Make the account",
  checks: { good: "Well", bad: "Needs you", waiting: "Looking" },
  lanFound: (name: string, addresses: readonly string[], carrier: boolean) =>
    `Your devices are at ${name}${addresses.length > 0 ? ` (${addresses.join(", ")})` : ""}${carrier ? "" : "; no cable or no link"}`,
  noLan: "No network for your devices was found. Name it in the configuration file: network.lan_iface.",
  uplinkFound: (name: string, reachable: boolean, rtt: string | undefined, reason: string) =>
    reachable
      ? `The internet answers through ${name}${rtt ? ` in ${rtt}` : ""}`
      : `The internet does not answer through ${name}: ${reason}`,
  uplinkSeen: (name: string, carrier: boolean, nextHop: string | null) =>
    !carrier
      ? `${name} has no cable or no link`
      : nextHop === null
        ? `${name} is connected, but nobody there offers a way on`
        : `${name} is connected and leads on by ${nextHop}`,
  probeInternet: "Ask whether the internet answers",
  probeTargets: (targets: readonly string[]) => `The gateway then asks ${targets.join(" and ")} every few seconds.`,
  noUplink: "No way to the internet was found. Name it in the configuration file: network.wan_iface.",
  otherUplink: "The internet is at another connector",
  uplinkInterface: "Connector",
  useUplink: "Use it as the uplink",
  uplinkChosen: "The gateway uses it from now on",
  importTunnel: "Import a tunnel",
  importAnother: "Import another",
  withoutTunnel: "Go on without a tunnel",
  whichTunnel: "Tunnel",
  knownDevices: "Devices you know",
  unknownDevices: "Devices nobody knows",
  treatments: {
    through: (tunnel: string) => ({
      label: `Through ${tunnel}`,
      hint: "Blocked if it fails: nothing leaves in the clear.",
    }),
    direct: () => ({ label: "Straight to the internet", hint: "In the clear, as without this gateway." }),
    blocked: () => ({ label: "Blocked", hint: "They reach the gateway and nothing beyond." }),
  },
  unknownConsequences: {
    through: "New devices and guests work at once, protected by the tunnel. While it is down, they are blocked.",
    direct:
      "Whatever joins the network reaches the internet in the clear, also a known device that shows up with another MAC address.",
    blocked:
      "New devices have no internet until you add them to the known devices. As long as you know none, nothing on this network has internet.",
  },
  macIsNoProof:
    "Devices are recognized by MAC address, which any device can change or copy. It tells devices apart; it does not prove who they are.",
  tryIt: "Try for 2 minutes",
  made: {
    group: "Known devices",
    everyone: "Everybody (first start)",
    known: "Known devices (first start)",
    unknown: "Everybody else (first start)",
  },
  inForce: (isSo: boolean): string => (isSo ? "The kernel enforces all of it." : "It is on its way into the kernel."),
  unknownDevice: "A device nobody knows",
  whenDown: (name: string, leaves: boolean) =>
    leaves ? `${name} leaves in the clear with every hop down.` : `${name}: nothing leaves with every hop down.`,
  leakCheck: "Leak check",
  leakWaits: "The leak check runs as soon as everything is in force.",
  leakRuns: "The gateway tries to get out past the tunnels.",
  checkAgain: "Check again",
  notEnforced: "Nothing is enforced: the dataplane is switched off in the configuration file.",
  paths: "Paths",
  keepAndFinish: "Keep it and finish",
  finish: "Finish",
};
