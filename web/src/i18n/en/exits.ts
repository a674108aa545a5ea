export const exits = {
  of: (device: string) => `Exit of ${device}`,
  ofMany: (count: number) => (count === 1 ? "Exit of 1 device" : `Exit of ${count} devices`),
  via: (hops: readonly string[]) => `via ${hops.join(", ")}`,
  direct: { name: "Direct", effect: "no VPN" },
  blocked: { name: "LAN only", effect: "no internet" },
  quarantined: "Quarantined",
  fails: "If the tunnel goes down",
  failClosed: "Block traffic (kill switch)",
  failOpen: "Use the direct connection",
  writes: {
    update: (policy: string) => `Changes the policy “${policy}”, and tests it for 2 minutes.`,
    create: (policy: string) => `Adds the policy “${policy}”, and tests it for 2 minutes.`,
  },
  writesMany: (count: number) => `Writes ${count} policies, and tests them for 2 minutes.`,
  keepFirst: "Keep or revert the change on trial first.",
  excepted: "An exception or a pause decides now; the policy applies when it ends.",
  scheduled: (policies: readonly string[]) =>
    policies.length === 1
      ? `The policy “${policies[0]}” still decides while its schedule is active.`
      : `These policies still decide while their schedules are active: ${policies.join(", ")}.`,
  scheduledMany: "A policy of a device with a schedule may still decide while its schedule is active.",
  staged: "Staged with the other pending changes",
};
