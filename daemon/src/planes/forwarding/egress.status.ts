import type { Component } from "@portcullis/contract/subsystems/status";

/** The number of devices of each posture, as in GET /policy/postures. */
export interface Counts {
  readonly protected: number;
  readonly blocked: number;
  readonly exposed: number;
  readonly unknown_device: "protected" | "blocked" | "exposed";
}

interface Needs {
  readonly counts: () => Promise<Counts>;
  /** Changes whenever the counts may have changed. Undefined: nothing is enforced yet. */
  readonly version: () => unknown;
}

/** Whether any device has Internet access, and any is protected, for /observer. Counted again only after a change. */
export function egressComponent({ counts, version }: Needs): () => Promise<Component> {
  let counted: { readonly version: unknown; readonly component: Promise<Component> } | undefined;
  return async () => {
    const now = version();
    if (now === undefined) return notYet;
    if (counted?.version !== now) counted = { version: now, component: counts().then(componentOf, unanswered) };
    return counted.component;
  };

  function unanswered(error: unknown): Component {
    counted = undefined;
    return {
      name,
      status: "degraded",
      message: `It is not known which devices have Internet access: ${(error as Error).message}`,
    };
  }
}

export function componentOf(counts: Counts): Component {
  const all = counts.protected + counts.blocked + counts.exposed;
  const { unknown_device: unknown } = counts;
  const isAnyOut = counts.protected + counts.exposed > 0 || unknown !== "blocked";
  if (!isAnyOut)
    return {
      name,
      status: "failed",
      message:
        all === 0
          ? "No device has Internet access: no device is known, and unknown devices are blocked. `portcullis devices create`, then a policy (POST /routing/policies)"
          : `No device has Internet access: all ${all} known devices are blocked, and so are unknown ones. \`portcullis fail-matrix\` shows which hops are down, \`portcullis evaluate <device>\` why`,
    };
  if (counts.protected === 0 && unknown !== "protected")
    return {
      name,
      status: "degraded",
      message:
        "No device is protected: all traffic leaves directly. Import a tunnel and send devices through it with a policy (POST /routing/policies)",
    };
  const blocked = counts.blocked === 0 ? "" : `, ${counts.blocked} blocked`;
  return { name, status: "ok", message: `${counts.protected} of ${all} known devices are protected${blocked}` };
}

const name = "egress";
const notYet: Component = { name, status: "degraded", message: "Nothing is enforced yet" };
