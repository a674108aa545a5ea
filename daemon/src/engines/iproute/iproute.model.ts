export type Family = 4 | 6;

/** Our routing rules and tables, whole. Rules and tables outside our numbers belong to someone else. */
export interface Routing {
  readonly rules: readonly Rule[];
  readonly routes: readonly Route[];
}

export interface Rule {
  readonly family: Family;
  readonly priority: number;
  readonly mark?: { readonly value: number; readonly mask: number };
  readonly iif?: string;
  /** Asked of whoever wants to leave by this one, whatever else is said of it. */
  readonly oif?: string;
  readonly from?: string;
  readonly to?: string;
  /** The first and the last of the users whose programs send it. The kernel knows that also of a socket its program has left behind. */
  readonly users?: readonly [first: number, last: number];
  /** The port it is sent from. */
  readonly sourcePort?: number;
  /** The first and the last of the types of ICMP that are meant. */
  readonly icmp?: readonly [first: number, last: number];
  /** `goto` names the priority of a later rule; without one there, the kernel just goes on with the next. */
  readonly action:
    | { readonly lookup: number }
    /** The main table without its default routes: what is near, and nothing else. */
    | { readonly lookup: "main"; readonly but: "default" }
    | { readonly goto: number }
    | "prohibit";
}

export interface Route {
  readonly family: Family;
  readonly table: number;
  /** "default", or a network. */
  readonly to: string;
  readonly metric: number;
  readonly nextHop: "unreachable" | { readonly device: string; readonly via?: string };
}

/** Numbers of ours: rules by priority, tables by egress. */
export const tableOf = (egress: number): number => 7000 + egress;
/** Leads nowhere but back to us: whose connections are all bent to a program of ours needs a route to begin them with. */
export const redirectTable = 7899;
export const lanTable = 7900;
export const isOurTable = (table: number): boolean => table >= 7000 && table <= lanTable;

const firstPriority = 7000;
export const unmarkedPriority = firstPriority;
export const groupPriority = (group: number): number => firstPriority + 1 + group;
export const rulePriority = (egress: number): number => firstPriority + 100 + egress;
export const lanPriority = 7900;
/** Of what programs of ours say to who has called them. */
export const replyPriority = 7949;
/** Of what the gateway itself sends with the address of a way. */
export const ownPriority = 7950;
/** Of programs of ours that have no way. */
export const noEgressPriority = 7952;
/** Of whoever wants to leave by a certain way, and has no mark; before that, of neighbours on its link. */
export const neighbourPriority = 7953;
export const boundPriority = 7954;
/** Of what the gateway itself complains of. */
export const icmpErrorPriority = 7955;
/** Of everything else the gateway itself sends, where there are several uplinks. */
export const nearPriority = 7960;
export const farPriority = 7961;
export const lastPriority = 7999;
export const isOurPriority = (priority: number): boolean => priority >= firstPriority && priority <= lastPriority;

/** The last route of each of our tables: what no other route carries ends here. */
export const lastMetric = 4_278_198_272;
