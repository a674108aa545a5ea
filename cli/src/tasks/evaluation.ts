import type { ResultOf } from "@portcullis/contract/endpoint";
import type { policyViews } from "@portcullis/contract/subsystems/routing";
import { bad, good, type Rich, rich, sentence, warn } from "../screen/rich.ts";
import { hopWords } from "../screen/values.ts";
import type { Policy } from "./policy.ts";

export type Evaluation = ResultOf<typeof policyViews.evaluate>;

/** What the packets of a device do, as a sentence. `isInForce`: false turns it into what they would do. */
export function outcomeSentence(
  name: string,
  { outcome, interfaces }: Pick<Evaluation, "outcome" | "interfaces">,
  policy: Policy | undefined,
  isInForce: boolean,
): Rich {
  const by = interfaces.length > 0 ? ` (${interfaces.join(", ")})` : "";
  const through = policy && policy.hops.length > 0 ? hopWords(policy.hops) : rich("the hops of its policy");
  switch (outcome) {
    case "block":
      return sentence`${name} ${isInForce ? "is" : "would be"} ${bad("blocked")}: its packets do not leave.`;
    case "direct":
      return sentence`${name} ${leaves(isInForce)} ${bad("directly, in the clear")}${by}: no tunnel protects it.`;
    case "local":
      return sentence`${name} ${isInForce ? "stays" : "would stay"} on the LAN: these packets reach no uplink.`;
    case "egress":
      return sentence`${name} ${leaves(isInForce)} ${good("through ")}${through}${by}.`;
    case "split":
      return sentence`${name} ${leaves(isInForce)} ${good("through several tunnels")}${by}: connections are spread over them.`;
  }
}

const leaves = (isInForce: boolean): string => (isInForce ? "leaves" : "would leave");

/** What happens while the hops of a policy are down. */
export function whenDown(failPolicy: string): Rich {
  switch (failPolicy) {
    case "fail-open":
      return warn("leaves directly, in the clear");
    case "fail-over":
      return rich("the next matching policy decides; if there is none, nothing leaves");
    default:
      return rich("nothing leaves");
  }
}
