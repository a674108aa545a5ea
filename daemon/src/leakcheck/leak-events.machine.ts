import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";

/** Who leaks, and by what, as far as it was told. */
export type Leaking = ReadonlyMap<string, ReadonlySet<string>>;

export type News =
  | {
      readonly event: "leak.detected";
      readonly payload: { device_id: string | null; name: string; cause: string; message: string };
    }
  | { readonly event: "leak.cleared"; readonly payload: { device_id: string | null; name: string } }
  | { readonly event: "leak.checked"; readonly payload: { verdict: string; devices: number; leaking: number } };

/** Whoever lets a device go when its hops are down says so himself. */
const toldElsewhere = "direct-fallback";

/** What a check tells that nobody has heard yet. One that was overtaken by a change tells nothing. */
export function newsOf(
  known: Leaking,
  check: LeakCheck,
  isOfOne: boolean,
): { readonly known: Leaking; readonly news: readonly News[] } {
  if (check.discarded) return { known, news: [] };
  const next = new Map(known);
  const news: News[] = [];
  const whole = { device_id: null, name: "the gateway", findings: check.gateway };
  for (const { device_id, name, findings } of [...check.devices, whole]) {
    const key = device_id ?? "";
    const leaks = findings.filter(({ severity, cause }) => severity === "leak" && cause !== toldElsewhere);
    const before = known.get(key) ?? new Set();
    const causes = new Map(leaks.map((it) => [it.cause as string, it.message]));
    for (const [cause, message] of causes)
      if (!before.has(cause)) news.push({ event: "leak.detected", payload: { device_id, name, cause, message } });
    if (before.size > 0 && causes.size === 0) news.push({ event: "leak.cleared", payload: { device_id, name } });
    if (causes.size === 0) next.delete(key);
    else next.set(key, new Set(causes.keys()));
  }
  // Whom a check of everybody does not speak of any more is gone, and so is what was told of it.
  if (!isOfOne && check.unchecked === 0) {
    const spokenOf = new Set(["", ...check.devices.map(({ device_id }) => device_id)]);
    for (const key of known.keys()) if (!spokenOf.has(key)) next.delete(key);
  }
  const leaking = check.devices.filter(({ verdict }) => verdict === "leaking").length;
  const payload = { verdict: check.verdict, devices: check.devices.length, leaking };
  return { known: next, news: [...news, { event: "leak.checked", payload }] };
}
