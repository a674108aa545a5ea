/**
 * The 32 bits of a packet's mark. A rank, while the packet is still being looked up, leaves the two highest bits
 * clear; so does a packet caught between two generations of the rules. Neither can be routed: rules, routes and
 * guard all ask for VALID, and only the last look-up, in a map named after the generation, sets it.
 */
export const valid = 0x8000_0000;
export const decided = 0x4000_0000;
/**
 * No rank is higher. More than there can be policies, and no more than that: the kernel cuts ranges of ranks into powers
 * of two, and each bit costs.
 */
export const highestRank = 0x1_ffff;
/** Between rank and egress: a plan in bits 23 to 8. */
export const planned = 0x2000_0000;

/** Beside the egress, on the first packet of a query to another resolver that is redirected to ours. */
export const forced = 0x1000_0000;

export const planMark = (plan: number): number => planned | (plan << 8);
export const decidedMark = (plan: number, egress: number): number => decided | (plan << 8) | egress;

/** What a routing rule and the guard compare: VALID and the egress. */
export const routedMark = (egress: number): number => (valid | egress) >>> 0;
export const routedMask = 0x8000_00ff;
/** The same for sixteen egresses at once. */
export const groupMask = 0x8000_00f0;

/**
 * The connection's mark keeps the egress that was decided, under the epoch it was decided in: the generation of the
 * rules, in bits 30 to 8. There are so many that no number returns while a connection of its first use still exists.
 */
export const epochMark = (generation: number): number => generation << 8;
/**
 * The same for a connection whose egress can lead to an uplink. The sender of such a connection is checked with every
 * packet; a mark of its own spares all other packets that check.
 */
export const openEpochMark = (generation: number): number => (epochMark(generation) | 0x8000_0000) >>> 0;
export const epochMask = 0xffff_ff00;
/** Marks below have a meaning of their own. */
export const generations = { first: 0x01_0000, last: 0x7f_ffff } as const;
/** A flow that was cut; it never comes back to life. */
export const cutMark = 0x00c0_de00;
/** A flow that runs direct by an exception, and one whose sender is quarantined: without an epoch, so both are decided anew afterwards. */
export const exceptionMark = 0x00ee_0001;
export const exceptionLocalMark = 0x00ee_00fe;
export const quarantineMark = 0x00ee_00ff;
/** A flow that a control has stopped: without an epoch as well, so it may go on when the control is switched off. */
export const stoppedMark = 0x00ee_01ff;
/** Plans stay below the numbers those marks have in a plan's place. */
export const lastPlan = 0xbfff;

export const hex = (mark: number): string => `0x${(mark >>> 0).toString(16).padStart(8, "0")}`;

/** The same number as a traffic class, the type of the second scratch register. */
export const classid = (number: number): string => `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;

export function fromClassid(text: string): number {
  const [major = 0, minor = 0] = text.split(":").map((half) => Number.parseInt(half, 16));
  return major * 0x1_0000 + minor;
}
