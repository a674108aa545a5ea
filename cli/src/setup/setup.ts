import { api, type GatewayApi } from "@portcullis/contract/api";
import { type Client, createClient, type Send } from "@portcullis/contract/client";
import { Problem } from "@portcullis/contract/problem";
import type { SetupPlan, SetupRequest, SetupState } from "@portcullis/contract/subsystems/setup";
import { escapeControls } from "../escape.ts";
import { complaintOf, Misuse, Unreachable } from "../failure.ts";
import type { Outcome } from "../run.ts";
import { answers } from "./answers.ts";
import { Cancelled, type SetupConsole } from "./console.ts";
import type { SetupOptions } from "./setup-options.ts";
import { confirmText, planText, stateText, tooFewInterfaces } from "./words.ts";

interface World {
  readonly send: Send;
  readonly console: SetupConsole;
}
type Gateway = Client<GatewayApi>;

/** `portcullis setup`: prompts, shows what it will do, does it, and waits for the confirmation. Only by the API. */
export async function runSetup(options: SetupOptions, { send, console }: World): Promise<Outcome> {
  const gateway = createClient(api, send);
  if (options.show === true) return { out: stateText(await gateway.setup.show()) };
  if (options.cancel === true) return undo(gateway, console);
  if (!console.isTerminal && (options.wan === undefined || options.lan === undefined || options.yes !== true))
    throw new Misuse("Without a terminal --wan, --lan and --yes are needed", "portcullis help setup lists the options");
  const state = await gateway.setup.show();
  if (state.refusal !== "") return failed(`${stateText(state)}Nothing was changed.\n`);
  if (state.interfaces.filter(({ usable }) => usable).length < 2) return failed(`${tooFewInterfaces(state)}.\n`);
  try {
    const request = await answers(options, { gateway, state, console });
    const plan = await gateway.setup.plan({ body: request });
    console.say(`\nThis will be done:\n${planText(plan)}\n`);
    if (options.yes !== true && !isYes(await console.ask("Do it? [y/N] "))) throw new Cancelled();
    await console.pause(0);
    return await apply(request, options, { gateway, console });
  } catch (failure) {
    if (failure instanceof Cancelled) return failed("Cancelled. Nothing was changed.\n");
    throw failure;
  }
}

interface Step {
  readonly gateway: Gateway;
  readonly console: SetupConsole;
}

async function apply(request: SetupRequest, options: SetupOptions, { gateway, console }: Step): Promise<Outcome> {
  const plan = await gateway.setup.apply({ body: request });
  try {
    const reached = await inForce(request, { gateway, console });
    if (reached.state === "waiting" || reached.state === "off")
      return failed(
        `The configuration is written, but nothing is enforced yet: ${reached.message || "the daemon is not ready"}\n`,
      );
    if (reached.state === "provisional") console.say(confirmText(plan, reached.remaining_sec ?? plan.confirm_sec));
    console.say(await accountText(gateway));
    if (reached.state === "provisional" && options.noWait === true) return { out: "" };
    const end = reached.state === "provisional" ? await confirmed({ gateway, console }) : reached;
    if (end.state !== "confirmed")
      return failed(
        `${end.message || "The rules were not confirmed, and were removed"}.\n` +
          "The configuration file keeps the settings; `portcullis setup --cancel` restores the previous one.\n",
      );
  } catch (failure) {
    if (!(failure instanceof Cancelled)) throw failure;
    console.settle();
    console.say("\nCancelled.\n");
    const undone = await undo(gateway, console);
    return undone.complaint ? undone : failed(undone.out);
  }
  return finish(plan, { gateway, console });
}

const pollMs = 300;
/** Longer than the time for the confirmation: a slow machine needs most of it, and what is in force then is reported. */
const startWithinMs = 150_000;

/** After the daemon has started again: what it enforces. */
async function inForce(request: SetupRequest, { gateway, console }: Step) {
  const isNew = ({ settings, steps }: SetupState) =>
    settings.enabled && settings.wan === request.wan && settings.lan === request.lan && steps.network;
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    await console.pause(pollMs);
    const seen = await answered(async () => ({
      isNew: isNew(await gateway.setup.show()),
      enforcement: await gateway.firstEnforcement.show(),
      applied: (await gateway.enforcement.reconciler()).engines.length > 0,
    }));
    if (seen?.isNew === true && seen.applied && ["provisional", "confirmed"].includes(seen.enforcement.state))
      return seen.enforcement;
    if (waitedMs < startWithinMs) continue;
    if (seen) return seen.enforcement;
    throw new Unreachable("The daemon does not answer after its restart; see journalctl --unit portcullis.service");
  }
}

/** undefined while the daemon is starting. */
async function answered<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (failure) {
    const isStarting = failure instanceof Problem && ["engine_unavailable", "internal"].includes(failure.code);
    if (failure instanceof Unreachable || isStarting) return undefined;
    throw failure;
  }
}

async function confirmed({ gateway, console }: Step) {
  for (;;) {
    const enforcement = await answered(() => gateway.firstEnforcement.show());
    if (enforcement && enforcement.state !== "provisional") return enforcement;
    await console.pause(pollMs);
  }
}

async function accountText(gateway: Gateway): Promise<string> {
  const { steps } = await gateway.setup.show();
  if (steps.account) return "";
  const { value } = await gateway.settings.get({ params: { key: "paths.state" } });
  return `There is no admin account yet. The web interface creates it with the setup code, which root finds in ${escapeControls(String(value))}/setup-code.\n`;
}

/** The guard of early boot, the measured leak check, and what remains to be done. */
async function finish({ web_address: web }: SetupPlan, { gateway, console }: Step): Promise<Outcome> {
  console.say("Confirmed: the rules stay in force.\n");
  const isEnabled = await console.enableBootGuard();
  if (isEnabled === true)
    console.say("portcullis-guard.service is enabled: nothing is forwarded at boot before the daemon runs.\n");
  else console.say("Enable the guard of early boot as root: systemctl enable portcullis-guard.service\n");
  console.say(await leakCheckText(gateway));
  return { out: web === null ? "" : `Next: ${web}\n` };
}

async function leakCheckText(gateway: Gateway): Promise<string> {
  try {
    const { verdict, devices, gateway: findings } = await gateway.privacy.leakCheck({ body: {} });
    const lines = findings.map(({ message }) => `  ${escapeControls(message)}\n`).join("");
    return `Leak check: ${verdict}, ${devices.length} devices checked\n${lines}`;
  } catch (failure) {
    if (failure instanceof Problem) return `The leak check did not run: ${escapeControls(failure.message)}\n`;
    throw failure;
  }
}

/** Restores the configuration from before, and waits until the daemon runs with it. */
async function undo(gateway: Gateway, console: SetupConsole): Promise<Outcome> {
  try {
    await gateway.setup.cancel();
  } catch (failure) {
    return { out: "", complaint: complaintOf(failure) };
  }
  for (let waitedMs = 0; waitedMs < startWithinMs; waitedMs += pollMs) {
    await console.pause(pollMs);
    const state = await answered(() => gateway.setup.show());
    if (state && !state.can_cancel) break;
  }
  return { out: "The rules and addresses are removed, and the configuration file is as it was before the setup.\n" };
}

const isYes = (text: string): boolean => ["y", "yes"].includes(text.toLowerCase());

const failed = (text: string): Outcome => ({ out: "", complaint: { text, status: 1 } });
