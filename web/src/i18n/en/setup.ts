/** The gateway's proposal for a role, and its reason. */
interface Proposal {
  readonly interface: string | null;
  readonly reason: "default_route" | "configured" | "only_other" | "address" | "link" | "first" | "none";
}

const reasons: Readonly<Record<Proposal["reason"], string>> = {
  default_route: "the default route leaves by it",
  configured: "as configured",
  only_other: "the only other port",
  address: "it has an address",
  link: "it has a link",
  first: "the first that can be used",
  none: "",
};

/** The network step of the first start. */
export const setup = {
  ports: "Ports of this machine",
  roles: { wan: "Internet", lan: "LAN", unused: "Not used" },
  proposal: (wan: string | null, lan: string | null, { wan: w, lan: l }: Readonly<Record<"wan" | "lan", Proposal>>) => {
    const because = (it: Proposal, name: string | null) =>
      name !== null && name === it.interface && reasons[it.reason] !== "" ? ` (${reasons[it.reason]})` : "";
    return `Internet: ${wan ?? "no port yet"}${because(w, wan)}. LAN: ${lan ?? "no port yet"}${because(l, lan)}.`;
  },
  tooFew: (port: string | undefined) =>
    `${port === undefined ? "This machine has no port that can be used" : `This machine has one port that can be used, ${port}`}. A gateway needs one towards the internet and one towards your devices: a second network card, a USB adapter, or a VLAN on a switch that supports it. The list refreshes by itself.`,
  link: "Link",
  noLink: "No link",
  noAddress: "no address",
  leadsTo: (hop: string) => `default gateway ${hop}`,
  bytes: (received: string, sent: string) => `${received} received, ${sent} sent`,
  rate: (received: string, sent: string) => `now ${received} in, ${sent} out`,
  address: "Address of the gateway on the LAN",
  addressHint: "A private IPv4 address with the length of its network. The gateway sets it at each start.",
  dhcp: "Lease addresses on the LAN (DHCP)",
  dhcpHint: "Devices on the LAN get an address, and use this gateway for internet access and DNS.",
  dhcpExisting: "This port has an address already. Switch it on only if no other DHCP server runs on the LAN.",
  unmatched: "Devices that no policy matches",
  egress: {
    direct: { label: "Direct", hint: "Internet access without VPN, until a policy matches the device." },
    block: { label: "Blocked", hint: "No internet access until a policy matches the device." },
  },
  webOnLan: "Open the web interface to the LAN",
  webOnLanHint: "With TLS. You need it to confirm the setup from a device on the LAN.",
  webIsLocal:
    'The web interface listens on this machine only, and a session without TLS cannot change that. Run `sudo portcullis setup` on the machine to open it to the LAN, or confirm in a new SSH session with `portcullis confirm "a new SSH connection works"`.',
  keepPort: (port: number, wan: string) => `Keep port ${port} reachable on ${wan}`,
  keepPortHint:
    "Your browser is connected through the internet port, which the gateway closes. Without this, continue on a device of the LAN.",
  plan: "What will be done",
  fileStays: (file: string) => `${file} stays as it is.`,
  fileChanges: (file: string) => `In ${file}, all other lines stay:`,
  setsAddress: (address: string, lan: string) => `The gateway sets ${address} on ${lan}, now and at each start.`,
  keepsAddress: (address: string, lan: string) => `${lan} keeps its address ${address}.`,
  leases: (first: string, last: string, lan: string) => `DHCP leases ${first} to ${last} on ${lan}.`,
  noLeases: (lan: string) => `No addresses are leased on ${lan}.`,
  webAt: (address: string) => `From the LAN the web interface is at ${address}.`,
  enforces: "The daemon starts again and enforces: the internet port then accepts only the ports that stay open there.",
  confirmWithin: (time: string) => `Unless you confirm within ${time}, all rules and addresses are removed again.`,
  noConfirmation: "No confirmation is needed (dataplane.confirm_first_sec is 0).",
  apply: (time: string) => (time === "" ? "Apply" : `Try for ${time}`),
  nothingYet: "Nothing is changed before that.",
  roleMissing: "Choose one port for the internet and one for the LAN.",
  forAdmins: "Only an administrator can set up the network of this machine.",
  starting: "The gateway starts with the new settings. This takes a few seconds.",
  notEnforced: "The configuration is written, but nothing is enforced yet.",
  reverted: "The setup was not confirmed in time: all rules and addresses were removed.",
  trial: "Confirm that you still reach the gateway",
  timeLeft: "Time left",
  trialText: (wan: string, lan: string) => `The rules are in force. Internet: ${wan}, LAN: ${lan}.`,
  trialEnds:
    "If this page still responds on a device of the LAN, confirm it. Without a confirmation everything is removed again.",
  confirm: "Confirm",
  undo: "Undo the setup",
  undone: "The machine is as it was before the setup",
  continueAt: "On a device of the LAN, continue at",
  confirmOnConsole:
    "The web interface cannot be reached from the LAN. Open a new SSH session to the gateway and run portcullis confirm with a reason.",
  isConfirmed: "The setup is confirmed and stays in force.",
};
