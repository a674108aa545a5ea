import type { GatewayApi } from "@portcullis/contract/api";
import type { Client } from "@portcullis/contract/client";
import { Problem } from "@portcullis/contract/problem";
import type { SetupRequest, SetupState } from "@portcullis/contract/subsystems/setup";
import type { SetupConsole } from "./console.ts";
import type { SetupOptions } from "./setup-options.ts";
import { interfaceTable, reasons } from "./words.ts";

interface Prompting {
  readonly gateway: Client<GatewayApi>;
  readonly state: SetupState;
  readonly console: SetupConsole;
}

/** The request: from the options, from the prompts, and without prompts from the suggestions of the gateway. */
export async function answers(options: SetupOptions, prompting: Prompting): Promise<SetupRequest> {
  const { state, console } = prompting;
  const { suggestion } = state;
  console.say(`\n${interfaceTable(state)}\n`);
  const hasPrompts = options.yes !== true;
  const ask = hasPrompts ? prompting : undefined;
  const wan = options.wan ?? (await chosen("Interface towards the Internet", suggestion.wan, [], prompting, ask));
  const lan = options.lan ?? (await chosen("Interface towards your devices", suggestion.lan, [wan], prompting, ask));
  const address = options.lanAddress ?? (await addressFor({ wan, lan }, prompting, ask));
  const basis = { wan, lan, ...(address !== undefined && { lan_address: address }) };
  const leases =
    options.dhcp ?? (ask && (await yesOrNo("Lease addresses there (DHCP)?", address !== undefined, console)));
  const unknown = options.unknown ?? (ask && (await egress(state, console)));
  const ports = options.uplinkPorts ?? (ask && (await portsFor(wan, prompting)));
  const isOffered = ask !== undefined && state.web_address === null;
  const web =
    options.webOnLan ??
    (isOffered ? await yesOrNo("Open the web interface to the LAN, with TLS?", true, console) : undefined);
  return {
    ...basis,
    ...(leases !== undefined && { dhcp: leases }),
    ...(unknown !== undefined && { unknown }),
    ...(ports !== undefined && { uplink_ports: [...ports] }),
    ...(web !== undefined && { web_on_lan: web }),
  };
}

async function chosen(
  what: string,
  { interface: proposed, reason }: SetupState["suggestion"]["wan"],
  taken: readonly string[],
  { state, console }: Prompting,
  ask: Prompting | undefined,
): Promise<string> {
  const names = state.interfaces.filter((it) => it.usable && !taken.includes(it.name)).map(({ name }) => name);
  const isFree = proposed !== null && names.includes(proposed);
  const byDefault = isFree ? proposed : names[0]!;
  if (!ask) return byDefault;
  for (;;) {
    const because = isFree ? `, ${reasons[reason]}` : "";
    const typed = (await console.ask(`${what} [${byDefault}${because}]: `)) || byDefault;
    if (names.includes(typed)) return typed;
    console.say(`  One of ${names.join(", ")}, please.\n`);
  }
}

/** undefined: the interface has an address, which stays. */
async function addressFor(
  roles: { readonly wan: string; readonly lan: string },
  { gateway, state, console }: Prompting,
  ask: Prompting | undefined,
): Promise<string | undefined> {
  const { suggestion } = state;
  const refused = await refusalOf(gateway, roles);
  if (refused === undefined) return undefined;
  const proposed = suggestion.lan.interface === roles.lan ? suggestion.lan_address : null;
  const byDefault = proposed ?? /such as (\S+)/.exec(refused)?.[1];
  if (!ask) return byDefault;
  for (;;) {
    const shown = byDefault === undefined ? "" : ` [${byDefault}]`;
    const typed = (await console.ask(`Address of the gateway on ${roles.lan}${shown}: `)) || byDefault;
    const problem = typed === undefined ? refused : await refusalOf(gateway, { ...roles, lan_address: typed });
    if (problem === undefined) return typed;
    console.say(`  ${problem}\n`);
  }
}

/** Why the address is refused; other refusals are thrown. */
async function refusalOf(gateway: Prompting["gateway"], request: SetupRequest): Promise<string | undefined> {
  try {
    await gateway.setup.plan({ body: request });
    return undefined;
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    const fields = failure.details["fields"];
    const first = Array.isArray(fields) ? (fields[0] as { readonly field?: string } | undefined) : undefined;
    if (first?.field === "body.lan_address") return failure.message;
    throw failure;
  }
}

async function yesOrNo(prompt: string, byDefault: boolean, console: SetupConsole): Promise<boolean> {
  for (;;) {
    const typed = (await console.ask(`${prompt} [${byDefault ? "Y/n" : "y/N"}] `)).toLowerCase();
    if (typed === "") return byDefault;
    if (["y", "yes", "n", "no"].includes(typed)) return typed.startsWith("y");
    console.say("  y or n, please.\n");
  }
}

async function egress({ settings }: SetupState, console: SetupConsole): Promise<"direct" | "block"> {
  for (;;) {
    const prompt = `Devices that no policy matches: direct (no VPN) or block [${settings.unknown}]: `;
    const typed = (await console.ask(prompt)) || settings.unknown;
    if (typed === "direct" || typed === "block") return typed;
    console.say("  direct or block, please.\n");
  }
}

/** The guard keeps this connection, but would refuse the next one. */
async function portsFor(wan: string, { state, console }: Prompting): Promise<readonly number[] | undefined> {
  const { settings, interfaces } = state;
  const own = interfaces.find(({ name }) => name === wan)?.addresses.map((it) => it.replace(/\/.*$/, "")) ?? [];
  if (console.connectedBy === undefined || !own.includes(console.connectedBy)) return undefined;
  if (settings.uplink_ports.includes(22)) return undefined;
  const prompt = `You are connected through ${wan}. Keep SSH (port 22) reachable there?`;
  return (await yesOrNo(prompt, true, console)) ? [...settings.uplink_ports, 22] : settings.uplink_ports;
}
