import type { Changes, Difference, RolledBack } from "@portcullis/contract/subsystems/history";
import type { ResultOf } from "@portcullis/contract/endpoint";
import type { routing } from "@portcullis/contract/subsystems/routing";
import { bad, good, type Rich, rich, sentence, strong, warn } from "../screen/rich.ts";
import { duration, type Reading, timeWords, words } from "../screen/values.ts";
import { command } from "../tasks/lookups.ts";
import { confirmLines } from "../tasks/protect.ts";

/** What is staged, what waits for its confirmation, and what is published. */
export function changesLines({ staged, pending, applied }: Changes, reading: Reading): Rich[] {
  return [
    ...(pending
      ? [
          sentence`${warn("Waits for confirmation:")} revision ${pending.snapshot}, by ${pending.actor}.`,
          ...pending.differences.flatMap((it) => differenceLines(it, reading)),
          sentence`It is reverted to revision ${pending.reverts_to} in ${strong(duration(pending.remaining_sec))} (${timeWords(pending.deadline, reading, "timestamp")}) unless you confirm it:`,
          command("changes", "confirm"),
          rich("To revert it now:"),
          command("changes", "revert"),
          [],
        ]
      : []),
    ...(staged.length > 0
      ? [
          sentence`${warn("Staged, not in force:")}`,
          ...staged.flatMap((it) => differenceLines(it, reading)),
          rich("To put it in force, with two minutes to confirm:"),
          command("policies", "apply", "--confirm-within", "120"),
          rich("To discard it:"),
          command("rollback", applied.id),
          [],
        ]
      : []),
    ...(pending === null && staged.length === 0
      ? [rich("Nothing is staged, and nothing waits for confirmation.")]
      : []),
    sentence`Published: revision ${applied.id}, ${timeWords(applied.created_at, reading)}, by ${applied.actor} (${applied.cause.replaceAll("_", " ")}).`,
  ];
}

const signs = { added: good("+"), removed: bad("-"), changed: warn("~") } as const;

function differenceLines({ kind, name, id, change, fields }: Difference, reading: Reading): Rich[] {
  const head = sentence`  ${signs[change]} ${kind.replaceAll("_", " ")} ${strong(name || id)} is ${change}`;
  if (change !== "changed") return [head];
  return [
    head,
    ...fields.map(
      ({ field, before, after }) =>
        sentence`      ${field.replaceAll("_", " ")}: ${value(field, before, reading)} → ${value(field, after, reading)}`,
    ),
  ];
}

const value = (field: string, it: unknown, reading: Reading): Rich => {
  const shown = words(field, it, reading);
  return shown.length > 0 ? shown : rich("none");
};

export const confirmedLines = (changes: Changes, reading: Reading): Rich[] => [
  sentence`${good("Confirmed:")} the change stays.`,
  ...changesLines(changes, reading),
];

export const revertedLines = (changes: Changes, reading: Reading): Rich[] => [
  sentence`${good("Reverted:")} what was published before is published again.`,
  ...changesLines(changes, reading),
];

/** The result of an apply: what was published, and whether it is in force. */
export function appliedLines(applied: ResultOf<typeof routing.apply>, reading: Reading): Rich[] {
  const { snapshot, published, enforced, not_enforced, findings, confirm_until } = applied;
  return [
    published === 0
      ? rich("Nothing was staged, so nothing was applied.")
      : sentence`${good("Applied")} as revision ${snapshot.id}: ${published} ${published === 1 ? "change" : "changes"}.`,
    ...(enforced
      ? []
      : [
          sentence`${bad("Not in force:")} ${not_enforced ?? "the dataplane is off, or an engine failed; portcullis observer shows which"}.`,
        ]),
    ...findings.map(
      ({ kind, policy_name, other_name, message }) =>
        sentence`${warn(`${kind}:`)} ${strong(policy_name)}${other_name === null ? "" : ` and ${other_name}`}: ${message}`,
    ),
    ...confirmLines(confirm_until, reading),
  ];
}

export const rolledBackLines = (result: RolledBack, reading: Reading): Rich[] => [
  sentence`${good("Rolled back.")} It is revision ${result.id} now.`,
  ...result.excluded.map(
    ({ kind, count, names }) =>
      sentence`${warn("Not rolled back:")} ${count} ${kind.replaceAll("_", " ")}${names.length > 0 ? ` (${names.join(", ")})` : ""}; your role may not change them.`,
  ),
  ...confirmLines(result.confirm_until, reading),
];
