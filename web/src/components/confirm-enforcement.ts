import { Problem } from "@portcullis/contract/problem";
import { useAction } from "../api/queries.ts";

export const affectedByEnforcement = ["status", "setup", "enforcement", "policyViews", "privacy", "audit"] as const;

/** Confirms the first enforcement from this browser: a user who can do that is not locked out. */
export const useConfirmEnforcement = (onDone: () => void) =>
  useAction("firstEnforcement", "confirm", { invalidates: affectedByEnforcement, onDone, retry: overNewConnection });

/** A browser may have several connections that are older than the rules. The gateway closes each one it refuses. */
const overNewConnection = (failures: number, problem: Error): boolean =>
  failures < 6 && problem instanceof Problem && problem.code === "conflict";
