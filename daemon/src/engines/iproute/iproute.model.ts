export type Family = 4 | 6;

/** All our routing rules and tables. Rules and tables outside our numbers are not ours. */
export interface Routing {
  readonly rules: readonly Rule[];
  readonly routes: readonly Route[];
}

export interface Rule {
  readonly family: Family;
  readonly priority: number;
  readonly mark?: { readonly value: number; readonly mask: number };
  readonly iif?: string;
  /** Matches sockets that are bound to this interface. */
  readonly oif?: string;
  readonly from?: string;
  readonly to?: string;
  /** The first and the last user ID of the sending process. The kernel knows it also for an orphaned socket. */
  readonly users?: readonly [first: number, last: number];
  /** The source port. */
  readonly sourcePort?: number;
  /** The first and the last ICMP type. */
  readonly icmp?: readonly [first: number, last: number];
  /** `goto` is the priority of a later rule; without a rule there, the kernel continues with the next. */
  readonly action:
    | { readonly lookup: number }
    /** The main table without its default routes: directly connected networks only. */
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
/** Ends at the gateway: a program whose connections are all redirected needs a route to open them. */
export const redirectTable = 7899;
export const lanTable = 7900;
export const isOurTable = (table: number): boolean => table >= 7000 && table <= lanTable;

const firstPriority = 7000;
export const unmarkedPriority = firstPriority;
export const groupPriority = (group: number): number => firstPriority + 1 + group;
export const rulePriority = (egress: number): number => firstPriority + 100 + egress;
export const lanPriority = 7900;
/** For replies of our programs to their clients. */
export const replyPriority = 7949;
/** For the gateway's own packets with the address of an egress. */
export const ownPriority = 7950;
/** For our programs without an egress. */
export const noEgressPriority = 7952;
/** For sockets that are bound to an interface and have no mark; before that, for neighbours on its link. */
export const neighbourPriority = 7953;
export const boundPriority = 7954;
/** For the gateway's own ICMP errors. */
export const icmpErrorPriority = 7955;
/** For all other packets of the gateway, with several uplinks. */
export const nearPriority = 7960;
export const farPriority = 7961;
export const lastPriority = 7999;
export const isOurPriority = (priority: number): boolean => priority >= firstPriority && priority <= lastPriority;

/** The last route of each of our tables: packets without another route end here. */
export const lastMetric = 4_278_198_272;
