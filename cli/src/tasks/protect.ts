import { everyPage } from "@portcullis/contract/client";
import { pageLimit } from "@portcullis/contract/collection";
import { Problem } from "@portcullis/contract/problem";
import { Misuse, Unreachable } from "../failure.ts";
import { bad, good, joined, type Rich, rich, sentence, strong, warn } from "../screen/rich.ts";
import { pairs } from "../screen/sheet.ts";
import { duration, hopWords, type Reading, timeWords } from "../screen/values.ts";
import { type Evaluation, outcomeSentence, whenDown } from "./evaluation.ts";
import { command, deviceNamed, notInForce, stepOf } from "./lookups.ts";
import type { FailPolicy, Policy } from "./policy.ts";
import { fieldsToRestore, type Plan, planProtection, policiesBefore } from "./protection-plan.ts";
import { argumentsOf, type Given, type Task, type TaskResult, type TaskWorld } from "./task.ts";

type Client = TaskWorld["client"];

const defaultConfirmSec = 120;

export const protect: Task = {
  words: ["protect"],
  synopsis: "<device> --via <tunnel>... [options]",
  summary: "Send a device through a tunnel, and block it while the tunnel is down",
  description:
    "Creates the device's own policy, or changes the only one it has, and applies it. It is reverted unless you confirm it. Policies of others are never changed: if one of them decides before, nothing is written, and the error names it.",
  options: [
    {
      name: "--via",
      value: "tunnel",
      meaning: "Tunnel, by name or id. Given several times: a chain, in order",
      repeats: true,
    },
    { name: "--fail-closed", meaning: "While a hop is down, nothing leaves. This is the default" },
    { name: "--fail-over", meaning: "While a hop is down, the next matching policy decides" },
    { name: "--fail-open", meaning: "While a hop is down, traffic leaves directly, in the clear" },
    {
      name: "--before",
      value: "policy",
      meaning: "Give the device's policy the priority of this one, so that it decides first",
    },
    {
      name: "--confirm-within",
      value: "seconds",
      meaning: `Seconds until the change is reverted unless it is confirmed. Default: ${defaultConfirmSec}`,
    },
    { name: "--keep", meaning: "Apply for good at once, without a time to confirm" },
  ],
  examples: [
    'portcullis protect "Kitchen TV" --via Amsterdam',
    "portcullis protect Laptop --via Amsterdam --via Zurich",
    "portcullis protect NAS --via Amsterdam --fail-over --keep",
  ],
  run: async (given, { client }) => {
    const [name = ""] = argumentsOf(given, ["device"]);
    const via = given.option("--via");
    if (via.length === 0) throw new Misuse("--via is missing", given.usage);
    const [failPolicy, confirmSec] = [failPolicyOf(given), confirmSecOf(given)];
    const device = await deviceNamed(client, name);
    const tunnels = await Promise.all(via.map((it) => client.tunnels.get({ params: { id: stepOf(it, "tunnel") } })));
    const before = await policyNamed(client, given.option("--before")[0]);
    const policies = await allPolicies(client);
    const own = policies.find((it) => it.source_value === device.id);
    const wasStaged = await refuseOtherChanges(client, own?.id);
    const previous = await client.policyViews.evaluate({ body: { device_id: device.id } });
    const hops = tunnels.map((tunnel) => ({ type: "vpn", target: tunnel.name }) as const);
    const plan = planProtection({ device, hops, failPolicy, ...(before && { before }) }, policies);
    if (plan.kind === "several") throw several(device.name, plan.policies);
    const written = await write(client, plan);
    const applied =
      plan.kind === "unchanged" && !wasStaged
        ? null
        : await applyWritten(client, { device, plan, policy: written, confirmSec });
    const outcome = await outcomeOf(client, device.id).catch((failure: unknown) => {
      const isExpected = failure instanceof Problem || failure instanceof Unreachable;
      if (applied === null || !isExpected) throw failure;
      return { evaluation: null, obstacle: `the state could not be read: ${failure.message}` };
    });
    const earlier = policiesBefore(written, policies, device.group_ids);
    return report({
      device,
      plan,
      policy: written,
      wasStaged,
      applied,
      previous,
      ...outcome,
      earlier,
      policies,
    });
  },
};

/** What the device does now, and why it is not in force. */
async function outcomeOf(client: Client, device_id: string) {
  const obstacle = notInForce(await client.status.status());
  return { evaluation: await client.policyViews.evaluate({ body: { device_id } }), obstacle };
}

function failPolicyOf({ has, usage }: Given): FailPolicy {
  const chosen = (["fail-closed", "fail-over", "fail-open"] as const).filter((it) => has(`--${it}`));
  if (chosen.length > 1) throw new Misuse(`--${chosen.join(" and --")} exclude each other`, usage);
  return chosen[0] ?? "fail-closed";
}

function confirmSecOf({ has, option, usage }: Given): number | undefined {
  const [typed] = option("--confirm-within");
  if (has("--keep") && typed !== undefined) throw new Misuse("--keep and --confirm-within exclude each other", usage);
  if (has("--keep")) return undefined;
  if (typed === undefined) return defaultConfirmSec;
  const seconds = Number(typed);
  if (!/^\d+$/.test(typed) || seconds < 1 || seconds > 86_400)
    throw new Misuse(`--confirm-within must be an integer (1 to 86400), and not ${JSON.stringify(typed)}`, usage);
  return seconds;
}

const policyNamed = async (client: Client, word: string | undefined): Promise<Policy | undefined> =>
  word === undefined ? undefined : client.routing.get({ params: { id: stepOf(word, "policy") } });

const allPolicies = (client: Client): Promise<Policy[]> =>
  everyPage((cursor) =>
    client.routing.list({ query: { limit: pageLimit.maximum, ...(cursor !== undefined && { cursor }) } }),
  );

/**
 * An apply publishes everything that is staged: changes of others are not published on the side. Returns whether the
 * device's own policy is staged.
 */
async function refuseOtherChanges(client: Client, ownId?: string): Promise<boolean> {
  const { pending, staged } = await client.changes.show();
  if (pending)
    throw new Misuse(
      `A change by ${pending.actor} waits for its confirmation; nothing was written`,
      "Look at it with: portcullis changes. Then: portcullis changes confirm, or portcullis changes revert",
    );
  const others = staged.filter(({ id }) => id !== ownId);
  if (others.length > 0)
    throw new Misuse(
      `${others.length === 1 ? "Another change is" : `${others.length} other changes are`} staged (${others
        .slice(0, 3)
        .map(({ name, id }) => name || id)
        .join(", ")}), and would be applied as well; nothing was written`,
      "Look at it with: portcullis changes. Then: portcullis policies apply",
    );
  return staged.length > 0;
}

const several = (name: string, policies: readonly Policy[]): Misuse =>
  new Misuse(
    `${name} has ${policies.length} policies of its own: ${policies.map((it) => it.name).join(", ")}; nothing was written`,
    "Change one of them with: portcullis policies update",
  );

async function write(client: Client, plan: Exclude<Plan, { kind: "several" }>): Promise<Policy> {
  if (plan.kind === "create") return client.routing.create({ body: plan.body });
  if (plan.kind === "unchanged") return plan.policy;
  return client.routing.update({ params: { id: plan.policy.id }, body: plan.body });
}

interface Written {
  readonly device: { readonly id: string; readonly name: string };
  readonly plan: Exclude<Plan, { kind: "several" }>;
  readonly policy: Policy;
  readonly confirmSec: number | undefined;
}
type Applied = Awaited<ReturnType<Client["routing"]["apply"]>>;

/** Checks the staged policy and applies it. If that is refused, nothing stays staged that was not before. */
async function applyWritten(client: Client, { device, plan, policy, confirmSec }: Written): Promise<Applied> {
  try {
    const evaluation = await client.policyViews.evaluate({ body: { device_id: device.id, staged: true } });
    refuseIneffective(device.name, policy, evaluation);
    await refuseOtherChanges(client, policy.id);
    return await client.routing.apply({ query: confirmSec === undefined ? {} : { confirm_within: confirmSec } });
  } catch (failure) {
    if (failure instanceof Problem || failure instanceof Misuse) await restore(client, plan, policy);
    throw failure;
  }
}

/** A policy that never decides would protect nothing. An exception or a control that decides now ends by itself. */
function refuseIneffective(device: string, policy: Policy, evaluation: Evaluation): void {
  if (evaluation.exception_id !== null || evaluation.control !== null) return;
  const own = evaluation.trace.find((it) => it.policy_id === policy.id);
  if (own === undefined) throw notFirst(device, policy, evaluation);
  if (!own.matched)
    throw new Misuse(
      `The policy would match no packet of ${device}: ${own.reason}; nothing was changed`,
      "Give the device a MAC address or an IP address with: portcullis devices update",
    );
}

function notFirst(device: string, policy: Policy, { trace }: Evaluation): Misuse {
  const decider = trace.find(({ decided }) => decided)?.name ?? "another policy";
  return new Misuse(
    `The policy ${JSON.stringify(decider)} decides about ${device} before its own one, which would have the priority ${policy.priority}; nothing was changed`,
    `To let ${JSON.stringify(policy.name)} decide first, add: --before ${JSON.stringify(decider)}`,
  );
}

/** Only what is still staged: an apply whose answer was lost is not undone by half. */
async function restore(client: Client, plan: Written["plan"], { id, name }: Policy): Promise<void> {
  if (plan.kind === "unchanged") return;
  const { staged } = await client.changes.show();
  if (!staged.some((it) => it.id === id)) return;
  try {
    if (plan.kind === "create") await client.routing.remove({ params: { id } });
    else await client.routing.update({ params: { id }, body: fieldsToRestore(plan.policy) });
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    throw new Problem(cause.code, cause.details, {
      message: `${cause.message}. The policy ${JSON.stringify(name)} stays staged and is not in force`,
      cause,
    });
  }
}

interface Outcome {
  readonly device: { readonly id: string; readonly name: string };
  readonly plan: Written["plan"];
  readonly policy: Policy;
  /** Whether the policy was staged, and so not in force, before this command. */
  readonly wasStaged: boolean;
  readonly applied: Applied | null;
  readonly previous: Evaluation;
  /** Null: it could not be read after the apply, and the obstacle says why. */
  readonly evaluation: Evaluation | null;
  readonly obstacle: string | undefined;
  readonly earlier: readonly Policy[];
  readonly policies: readonly Policy[];
}

function report(it: Outcome): TaskResult {
  const { device, plan, policy, applied, evaluation, obstacle } = it;
  const findings = (applied?.findings ?? []).filter((each) => [each.policy_id, each.other_id].includes(policy.id));
  const value = {
    device_id: device.id,
    device_name: device.name,
    change: plan.kind === "unchanged" && applied !== null ? "applied" : plan.kind,
    policy,
    confirm_until: applied?.confirm_until ?? null,
    not_in_force: obstacle ?? null,
    evaluation,
    findings,
  };
  return {
    value,
    lines: (reading) => [
      headline(it),
      ...pairs([
        ["Path", hopWords(policy.hops)],
        ["If down", whenDown(policy.fail_policy)],
        ["Policy", sentence`${policy.name}, priority ${policy.priority}`],
        ...(applied === null ? [] : [["Before", previousWords(it)] as const]),
        ...exceptionsOf(it.earlier),
      ]),
      [],
      ...(obstacle === undefined
        ? []
        : [sentence`${bad(evaluation ? "Not in force:" : "Not known whether it is in force:")} ${obstacle}.`]),
      ...(evaluation
        ? [sentence`${outcomeSentence(device.name, evaluation, policy, obstacle === undefined)} ${evaluation.reason}.`]
        : []),
      ...findings.map(({ kind, message }) => sentence`${warn(`${kind}:`)} ${message}`),
      ...confirmLines(applied?.confirm_until ?? null, reading),
    ],
  };
}

function headline({ device, plan, policy, applied }: Outcome): Rich {
  const path = joined(
    policy.hops.map(({ target }) => strong(target)),
    ", then ",
  );
  if (applied === null) return sentence`${device.name} has this policy already; nothing was changed.`;
  const verb = { create: "Created", update: "Changed", unchanged: "Applied" }[plan.kind];
  const noun = plan.kind === "unchanged" ? "staged policy" : "policy";
  return sentence`${good(verb)} the ${noun} of ${strong(device.name)}: it goes through ${path}.`;
}

function previousWords({ plan, policy, wasStaged, previous, policies }: Outcome): Rich {
  const old = plan.kind === "update" ? plan.policy : policies.find(({ id }) => id === previous.policy_id);
  // The list has the staged fields of the own policy, which were not in force.
  if (old === undefined || (wasStaged && old.id === policy.id)) return rich(previous.reason);
  const path = old.hops.length > 0 ? hopWords(old.hops) : rich("no hops");
  return sentence`${old.name}: ${path}, ${old.fail_policy}${old.enabled ? "" : ", disabled"}${old.profile_id === null ? "" : ", with a route profile"}${old.schedule === null ? "" : `, with the schedule ${old.schedule.name}`}`;
}

/** Policies that still decide about some packets of the device. */
const exceptionsOf = (earlier: readonly Policy[]): (readonly [string, Rich])[] =>
  earlier.map((it, index) => [
    index === 0 ? "Except" : "",
    sentence`${it.source_type.replaceAll("_", " ")} ${it.source_name || it.source_value}: ${strong(it.name)} decides first`,
  ]);

export function confirmLines(until: string | null, reading: Reading): Rich[] {
  if (until === null) return [];
  const left = (Date.parse(until) - reading.now.getTime()) / 1000;
  return [
    [],
    sentence`It is reverted in ${strong(duration(Math.max(0, left)))} (${timeWords(until, reading, "timestamp")}) unless you confirm it:`,
    command("changes", "confirm"),
  ];
}
