import type { SetupPlan, SetupState, SuggestionReason } from "@portcullis/contract/subsystems/setup";
import { alignedTable } from "../print.ts";

/** The texts of `portcullis setup`. */

export const reasons: Readonly<Record<SuggestionReason, string>> = {
  default_route: "the default route leaves by it",
  configured: "as configured",
  only_other: "the only other interface",
  address: "it has an address",
  link: "it has a link",
  first: "the first of those that can be used",
  none: "",
};

export function interfaceTable({ interfaces }: SetupState): string {
  const rows = interfaces
    .filter(({ usable }) => usable)
    .map((it) => ({
      interface: it.name,
      kind: it.kind,
      link: it.carrier ? (it.speed_mbps === null ? "yes" : `${it.speed_mbps} Mbit/s`) : "no",
      addresses: it.addresses.length === 0 ? "none" : it.addresses.join(", "),
      "default route": it.default_gateway_v4 ?? it.default_gateway_v6 ?? "",
      received: bytes(it.rx_bytes),
      sent: bytes(it.tx_bytes),
    }));
  return alignedTable(["interface", "kind", "link", "addresses", "default route", "received", "sent"], rows);
}

function bytes(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, count < 1000 ? 0 : Math.floor(Math.log10(count) / 3));
  return `${(count / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

export const tooFewInterfaces = ({ interfaces }: SetupState): string => {
  const names = interfaces.filter(({ usable }) => usable).map(({ name }) => name);
  const port = names[0] ?? "enp1s0";
  const found =
    names.length === 0
      ? "This machine has no interface that can be used"
      : `This machine has one interface that can be used, ${port}`;
  return (
    `${found}. A gateway needs one towards the Internet and another one towards the devices. On a machine with one port the ` +
    "other one can be a VLAN of this port, with a switch that has VLANs; a wireless interface; or a USB adapter. " +
    `\`ip link add link ${port} name ${port}.10 type vlan id 10\` creates a VLAN until the next boot; configure it in the ` +
    "system's network configuration, and run this again. Nothing was changed"
  );
};

/** What an apply does, before it does it. */
export function planText({
  file,
  changes,
  lan_address: address,
  address_set_by: by,
  dhcp,
  confirm_sec: sec,
}: SetupPlan) {
  const value = (it: unknown) => (it === "" ? '""' : Array.isArray(it) ? `[${it.join(", ")}]` : String(it));
  const lines = [
    changes.length === 0 ? `${file} stays as it is` : `In ${file} (all other lines stay):`,
    ...changes.map(({ key, from, to }) => `  ${key}: ${value(from)} becomes ${value(to)}`),
    by === "gateway"
      ? `The gateway sets ${address} on the LAN interface, now and at each start`
      : `The LAN interface keeps its address ${address}`,
    dhcp === null ? "No addresses are leased on the LAN" : `DHCP leases ${dhcp.first} to ${dhcp.last} on the LAN`,
    "The daemon starts again and enforces; the uplink then accepts only the ports that stay open there",
    sec === 0
      ? "No confirmation is needed (dataplane.confirm_first_sec is 0)"
      : `Unless you confirm it within ${sec} seconds, all rules and addresses are removed again`,
  ];
  return lines.map((it) => `  ${it}\n`).join("");
}

export function confirmText(plan: SetupPlan, remainingSec: number): string {
  const web =
    plan.web_address === null
      ? ""
      : `  - from a device of the LAN: open ${plan.web_address} and press Confirm (its certificate is self-signed), or\n`;
  return (
    `The rules are in force, for ${remainingSec} more seconds. Keep them:\n${web}` +
    `  - open a new SSH connection to this machine, and run there: portcullis confirm "a new SSH connection works"\n` +
    "Ctrl-C undoes the setup.\n"
  );
}

export function stateText({ steps, settings, web_address: web, refusal }: SetupState): string {
  const mark = (isDone: boolean, done: string, missing: string) =>
    `${isDone ? "done   " : "missing"}  ${isDone ? done : missing}\n`;
  return [
    mark(
      steps.network,
      `network: uplink ${settings.wan}, LAN ${settings.lan}${settings.lan_address === null ? "" : ` (${settings.lan_address}, set by the gateway)`}`,
      "network: choose the interfaces with portcullis setup",
    ),
    mark(
      steps.confirmation,
      "confirmation of the first enforcement",
      "confirmation of the first enforcement: portcullis enforcement show",
    ),
    mark(steps.boot_guard, "guard at boot", "guard at boot: systemctl enable portcullis-guard.service"),
    mark(steps.account, "admin account", "admin account: the web interface creates it with the setup code"),
    mark(steps.tunnel, "tunnel", "tunnel: the web interface imports one"),
    web === null ? "The web interface is reached from this machine only.\n" : `Web interface: ${web}\n`,
    refusal === "" ? "" : `${refusal}.\n`,
  ].join("");
}
