/** What is asked, as it stands in the address: it can be sent to somebody. */
export interface Asked {
  /** Id of a device, or an address. */
  readonly from: string;
  readonly to: string;
  readonly name: string;
  readonly staged: boolean;
  /** Targets of hops that are assumed to be down. */
  readonly down: readonly string[];
}

/** A question for the evaluator. Something that is no device is taken for an address, or for a MAC. */
export function questionOf({ from, to, name, staged, down }: Asked, devices: ReadonlySet<string>) {
  const who = from.trim();
  const source = devices.has(who)
    ? { device_id: who }
    : /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(who)
      ? { mac: who }
      : /^[0-9a-f.:]+$/i.test(who) && /[.:]/.test(who)
        ? { source: who }
        : { device_id: who };
  return {
    ...source,
    ...(to.trim() !== "" && { destination: to.trim() }),
    ...(name.trim() !== "" && { domain: name.trim() }),
    ...(down.length > 0 && { hops_up: Object.fromEntries(down.map((target) => [target, false])) }),
    staged,
  };
}
