export const start = {
  subtitle: "Set up the gateway in a few steps",
  progress: "Steps",
  otherOptions: "Other options",
  short: {
    account: "Account",
    network: "Network",
    tunnel: "Tunnel",
    filters: "Filtering",
    classes: "Devices",
    proof: "Check",
  },
  titles: {
    account: "Create the administrator account",
    network: "Internet and LAN ports",
    tunnel: "Which tunnel should protect your network?",
    filters: "Block advertising and malware",
    classes: "Which devices use the tunnel?",
    proof: "Is it working?",
  },
  subtitles: {
    account: "There is one account. Other users get an API key with a role later.",
    network: "Checked every two seconds: plug in a cable and see it here.",
    tunnel: "Import the file from your provider or your own server, and switch the tunnel on.",
    filters: "Recommended lists of names that the gateway's DNS blocks. There are more on the page DNS.",
    classes: "Two choices. They are on trial for two minutes: if you are locked out, they revert by themselves.",
    proof: "What happens to traffic now, and what would happen if every hop were down.",
  },
  back: "Back",
  later: "Finish later",
  next: "Continue",
  code: "Setup code",
  codeHint: "Printed by the gateway when it starts; root finds it in /var/lib/portcullis/setup-code.",
  username: "Username",
  password: "Password",
  passwordHint: "Ten characters or more; a short phrase is easy to remember.",
  again: "Confirm password",
  differs: "The passwords do not match.",
  makeAccount: "Create account",
  checks: { good: "OK", bad: "Action needed", waiting: "Checking" },
  lanFound: (name: string, addresses: readonly string[], carrier: boolean) =>
    `LAN: ${name}${addresses.length > 0 ? ` (${addresses.join(", ")})` : ""}${carrier ? "" : "; no link"}`,
  noLan:
    "No LAN interface found. Run `portcullis setup` on the gateway, or set network.lan_iface in the configuration file.",
  uplinkFound: (name: string, reachable: boolean, rtt: string | undefined, reason: string) =>
    reachable
      ? `The internet is reachable through ${name}${rtt ? ` (${rtt})` : ""}`
      : `The internet is not reachable through ${name}: ${reason}`,
  uplinkSeen: (name: string, carrier: boolean, nextHop: string | null) =>
    !carrier
      ? `${name} has no link`
      : nextHop === null
        ? `${name} is connected, but has no default gateway`
        : `${name} is connected; its default gateway is ${nextHop}`,
  probeInternet: "Check internet access",
  probeTargets: (targets: readonly string[]) => `The gateway then probes ${targets.join(" and ")} every few seconds.`,
  noUplink:
    "No uplink found. Run `portcullis setup` on the gateway, or set network.wan_iface in the configuration file.",
  otherUplink: "The internet is at another port",
  uplinkInterface: "Port",
  useUplink: "Use as uplink",
  uplinkChosen: "Uplink saved",
  importTunnel: "Import a tunnel",
  importAnother: "Import another",
  withoutTunnel: "Continue without a tunnel",
  listsOff: (reason: string) => `The gateway does not resolve names now, and reads no list: ${reason}.`,
  listFrom: (host: string) => `The gateway downloads it from ${host}, and refreshes it regularly.`,
  listNames: (count: string) => `${count} names`,
  addLists: (count: number) => (count === 1 ? "Add this list" : `Add these ${count} lists`),
  withoutLists: "Continue without lists",
  whichTunnel: "Tunnel",
  knownDevices: "Known devices",
  unknownDevices: "Unknown devices",
  treatments: {
    through: (tunnel: string) => ({
      label: `Via ${tunnel}`,
      hint: "Blocked if the tunnel goes down (kill switch).",
    }),
    direct: () => ({ label: "Direct", hint: "Without VPN, as without this gateway." }),
    blocked: () => ({ label: "Blocked", hint: "They reach the gateway only." }),
  },
  unknownConsequences: {
    through:
      "New devices and guests have internet access at once, protected by the tunnel. While it is down, they are blocked.",
    direct:
      "Every new device has internet access without VPN, including a known device that appears with another MAC address.",
    blocked:
      "New devices have no internet access until you add them to the known devices. While there are none, nothing on this network has internet access.",
  },
  macIsNoProof:
    "Devices are recognised by MAC address, which any device can change or copy. It distinguishes devices; it does not authenticate them.",
  tryIt: "Try for 2 minutes",
  made: {
    group: "Known devices",
    everyone: "All devices (first start)",
    known: "Known devices (first start)",
    unknown: "Unknown devices (first start)",
  },
  inForce: (isSo: boolean): string => (isSo ? "All rules are in the kernel." : "The rules are being applied."),
  unknownDevice: "Unknown device",
  whenDown: (name: string, leaves: boolean) =>
    leaves
      ? `${name}: traffic leaves without VPN if every hop is down.`
      : `${name}: nothing leaves if every hop is down.`,
  leakCheck: "Leak check",
  leakWaits: "The leak check runs as soon as all rules are applied.",
  leakRuns: "Leak check in progress…",
  checkAgain: "Check again",
  notEnforced: "Nothing is enforced: the dataplane is switched off in the configuration file.",
  paths: "Paths",
  keepAndFinish: "Keep and finish",
  finish: "Finish",
};
