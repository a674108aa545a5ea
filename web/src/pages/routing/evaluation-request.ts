/** The packet as it is in the URL, so that it can be shared. */
export interface PacketParams {
  /** Id of a device, or an address. */
  readonly from: string;
  readonly to: string;
  readonly name: string;
  readonly staged: boolean;
  /** Targets of hops that are assumed to be down. */
  readonly down: readonly string[];
}

/** The request for the evaluator. A source that is no device is an IP address or a MAC. */
export function evaluationRequest({ from, to, name, staged, down }: PacketParams, devices: ReadonlySet<string>) {
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
