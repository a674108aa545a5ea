/** The filter policy: it decides about each name for each client. Plain data, used by the engine and the tester. */
export interface FilterPolicy {
  /** If false, nothing is filtered or rewritten; names of routing policies are still tracked. */
  readonly isFiltering: boolean;
  /** Clients by address or network; the narrowest one applies. */
  readonly clients: readonly Client[];
  /** All other clients. */
  readonly others: Omit<Client, "network">;
  readonly layers: readonly Layer[];
  /** Lists by their bit; at most 32. */
  readonly lists: readonly PolicyList[];
  /**
   * Domains of policies: the addresses of these names, and of those below them, go into the kernel's maps. Where two have
   * an address in common, the lower rank has it.
   */
  readonly routes: readonly { readonly domain: string; readonly number: number; readonly rank: number }[];
}

export interface Client {
  /** An address or a network in CIDR form. */
  readonly network: string;
  /** Numbers of its layers: the most specific first, the general one last. The first with a matching rule decides. */
  readonly layers: readonly number[];
  /** Bits of the lists that apply to it. */
  readonly lists: number;
  /** The log level of its queries. */
  readonly log: "full" | "counts" | "none";
  /** It gets no AAAA records, because it has no IPv6. */
  readonly isWithoutV6?: boolean;
  /** What holds instead for a while: the earliest end first. After the last end, the fields above hold. */
  readonly phases?: readonly Phase[];
}

/** Settings of a client until a time. The resolver ends it by itself, also when nothing writes a new policy. */
export interface Phase extends Pick<Client, "layers" | "lists" | "isWithoutV6"> {
  /** Seconds of the machine's monotonic clock: setting the date changes nothing. */
  readonly untilSec: number;
  /** Its queries are not sent to the external filter either. */
  readonly skipsExternalFilter?: boolean;
}

/** The rules of one source: a device, a group, a privacy class, a network, or all clients. */
export interface Layer {
  /** 0 to 65535. */
  readonly number: number;
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** Kind and id of its resource, such as `filter_rule 8f3…`. */
  readonly cause: string;
  readonly match: Match;
  readonly action: Action;
}

export type Match =
  /** That name only. */
  | { readonly kind: "exact"; readonly name: string }
  /** It and every name below. */
  | { readonly kind: "suffix"; readonly name: string }
  /** Every name below it, but not itself. */
  | { readonly kind: "wildcard"; readonly name: string }
  | { readonly kind: "regex"; readonly pattern: string };

export type Action =
  | { readonly kind: "allow" }
  | { readonly kind: "block" }
  /** Other record types have no records. */
  | {
      readonly kind: "rewrite";
      readonly v4: readonly string[];
      readonly v6: readonly string[];
      readonly cname: string | null;
    };

export interface PolicyList {
  readonly id: string;
  readonly name: string;
  /** 0 to 31. */
  readonly bit: number;
}

/** The lists of a name, as bits: for the name itself, and for all names below it. */
export interface Listed {
  readonly exact: number;
  readonly below: number;
  /** The same for entries that allow a name. */
  readonly allowExact: number;
  readonly allowBelow: number;
}

/** Looks one name up, as it is written: lower case, without a dot at its end. */
export type ListLookup = (name: string) => Listed | undefined;

/** The decision about a name, and its cause. */
export type Verdict =
  | { readonly kind: "none" }
  | { readonly kind: "allow"; readonly by: Decider }
  | { readonly kind: "block"; readonly by: Decider }
  | { readonly kind: "rewrite"; readonly by: Decider; readonly action: Extract<Action, { kind: "rewrite" }> };

export type Decider =
  | { readonly kind: "rule"; readonly cause: string }
  | { readonly kind: "list"; readonly id: string };
