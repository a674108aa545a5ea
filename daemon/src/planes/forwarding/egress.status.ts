import { because, reported } from "@portcullis/contract/reason";
import { type Component, component } from "@portcullis/contract/subsystems/status";

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
    return component(name, "degraded", because("egress_unknown", { why: reported((error as Error).message) }));
  }
}

export function componentOf(counts: Counts): Component {
  const { protected: safe, blocked, exposed, unknown_device: unknown } = counts;
  const devices = safe + blocked + exposed;
  const isAnyOut = safe + exposed > 0 || unknown !== "blocked";
  if (!isAnyOut)
    return component(
      name,
      "failed",
      devices === 0 ? because("egress_no_device") : because("egress_all_blocked", { devices }),
    );
  if (safe === 0 && unknown !== "protected")
    return component(
      name,
      "degraded",
      blocked === 0 ? because("egress_all_direct") : because("egress_none_protected", { blocked, devices }),
    );
  return component(
    name,
    "ok",
    blocked === 0
      ? because("egress_protected", { protected: safe, devices })
      : because("egress_partly_blocked", { protected: safe, devices, blocked }),
  );
}

const name = "egress";
const notYet = component(name, "degraded", because("dhcp_not_enforced"));
