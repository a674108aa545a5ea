import { explainedAs, type Reason } from "@portcullis/contract/reason";
import type { Finding as NamedFinding } from "@portcullis/contract/subsystems/routing";

/** Names are for people; the compiler knows policies by their ids. */
export type Finding = Omit<NamedFinding, "policy_name" | "other_name">;

/** A finding with its reason. */
export const finding = (
  { kind, policy_id, other_id = null }: Pick<Finding, "kind" | "policy_id"> & { readonly other_id?: string | null },
  message: Reason,
): Finding => ({ kind, policy_id, other_id, ...explainedAs("message", message) });
