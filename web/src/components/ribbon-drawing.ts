import type { StateName } from "../ui/state.tsx";

export interface DrawnHop {
  readonly state: "up" | "down" | "unknown";
  /** An interface of the gateway, usually an uplink: it hides nothing, so there is no gate before it. */
  readonly isInterface?: boolean;
}

/** open: traffic flows through a gate. dotted: it flows without a gate. broken: nothing passes. */
type Line = "open" | "dotted" | "leaking" | "broken" | "unknown";

export interface Drawing {
  /** For each hop the segment before it, and the gate on that segment. */
  readonly hops: readonly { readonly line: Line; readonly gate?: "protected" | "blocked"; readonly beyond: boolean }[];
  /** The segment before the internet. */
  readonly last: { readonly line: Line; readonly gate?: "protected" | "blocked" };
  readonly arrives: boolean;
  /** The line that passes the hops instead of going through them. */
  readonly bypass: "dotted" | "leaking" | undefined;
}

/** The elements of a ribbon. A raised gate is drawn only before a hop that forwards traffic now. */
export function drawingOf(hops: readonly DrawnHop[], state: StateName): Drawing {
  if (state === "unknown") return alike(hops, "unknown", { arrives: false });
  if (state === "leaking" || state === "direct") {
    const line = state === "leaking" ? "leaking" : "dotted";
    const isPassed = hops.some(({ isInterface }) => !isInterface);
    return isPassed ? alike(hops, "broken", { arrives: true, bypass: line }) : alike(hops, line, { arrives: true });
  }
  if (state === "protected")
    return {
      hops: hops.map((hop) =>
        hop.state === "down" ? { line: "broken", gate: "blocked", beyond: false } : { ...through, beyond: false },
      ),
      last: hops.length === 0 ? through : { line: "open" },
      arrives: true,
      bypass: undefined,
    };
  const down = hops.findIndex((hop) => hop.state === "down");
  const stop = Math.max(down, 0);
  return {
    hops: hops.map((_, index) =>
      index < stop
        ? { ...through, beyond: false }
        : { line: "broken", ...(index === stop && { gate: "blocked" }), beyond: index > stop || down === -1 },
    ),
    last: hops.length === 0 ? { line: "broken", gate: "blocked" } : { line: "broken" },
    arrives: false,
    bypass: undefined,
  };
}

const through = { line: "open", gate: "protected" } as const;

const alike = (
  hops: readonly DrawnHop[],
  line: Line,
  { arrives, bypass }: Pick<Drawing, "arrives"> & { readonly bypass?: "dotted" | "leaking" },
): Drawing => ({
  hops: hops.map(() => ({ line, beyond: bypass !== undefined })),
  last: { line },
  arrives,
  bypass,
});
