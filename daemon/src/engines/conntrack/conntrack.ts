import type { System } from "../../system/system.ts";
import { type CountedFlow, countedFlowIn, countedFlowsIn } from "./flows.parse.ts";

/** The kernel's connections, both families. A connection that ends while they are listed may be missing. */
export const listFlows = async (system: Pick<System, "run">): Promise<CountedFlow[]> =>
  countedFlowsIn(await system.run("conntrack", ["-L", "-o", "extended,id"]));

/**
 * Reports connections when they end, with their last counters. `onGap`: some may have been missed. Of very many that end at once most are missed
 * without a sign: a listing removes all that have expired from the kernel, in one turn.
 */
export const followEndedFlows = (
  system: Pick<System, "follow">,
  onEnd: (flow: CountedFlow) => void,
  onGap: () => void,
): { stop(): void } =>
  system.follow(
    "conntrack",
    ["-E", "-e", "DESTROY", "-o", "extended,id", "--buffer-size", String(eventBufferBytes)],
    (line) => {
      const flow = countedFlowIn(line);
      if (flow) onEnd(flow);
    },
    onGap,
  );

/** Some ten thousand connections. conntrack 1.4.7 sets it for another one of its sockets, and has room for some 160. */
const eventBufferBytes = 8 << 20;
