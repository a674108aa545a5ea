import type { Guard } from "../../engines/nftables/nftables.model.ts";
import type { Facts } from "../input/facts.ts";
import type { Intent } from "../input/intent.ts";
import { segmentPairs } from "../policy/segments.ts";

/** What the guard must know of segments: who reaches whom, and whose address of the gateway. */
export function guardedSegments(
  intent: Pick<Intent, "network" | "segments">,
  { links }: Pick<Facts, "links">,
): Pick<Guard, "lanPairs" | "lanAddresses"> {
  const lanPairs = segmentPairs(intent);
  const lanAddresses = lanPairs.flatMap(({ from, to }) =>
    (links.find(({ name }) => name === to)?.addresses ?? []).map((address) => ({ address, interface: from })),
  );
  return { lanPairs, lanAddresses };
}
