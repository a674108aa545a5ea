import type { Finding as NamedFinding } from "@portcullis/contract/subsystems/routing";

/** Names are for people; the compiler knows policies by their ids. */
export type Finding = Omit<NamedFinding, "policy_name" | "other_name">;
