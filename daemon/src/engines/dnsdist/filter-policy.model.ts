/** Everything that decides what becomes of a name, for everybody who may ask. Plain data: engine and tester read the same. */
export interface FilterPolicy {
  /** Without it nothing is filtered or rewritten; names of policies are kept track of all the same. */
  readonly isFiltering: boolean;
  /** Who asks, by address or network; the narrowest one counts. */
  readonly clients: readonly Client[];
  /** Whoever is not among them. */
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
  /** Numbers of the layers that speak of it: the nearest to it first, everybody's last. The first that knows a name decides. */
  readonly layers: readonly number[];
  /** Bits of the lists it is under. */
  readonly lists: number;
  /** How much of what it asks is written down. */
  readonly log: "full" | "counts" | "none";
  /** It is told of no IPv6 address, since it could not reach one. */
  readonly isWithoutV6?: boolean;
}

/** What was said of one source: a device, a group, a privacy class, a network, or everybody. */
export interface Layer {
  /** 0 to 65535. */
  readonly number: number;
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** Kind and id of the resource that says so, such as `filter_rule 8f3…`. */
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
  /** What is asked for and not here has no records. */
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

/** What the lists say of a name, as bits: of that name itself, and of all names below it. */
export interface Listed {
  readonly exact: number;
  readonly below: number;
  /** The same for entries of lists that let a name through. */
  readonly allowExact: number;
  readonly allowBelow: number;
}

/** Looks one name up, as it is written: lower case, without a dot at its end. */
export type ListLookup = (name: string) => Listed | undefined;

/** What becomes of a name, and who says so. */
export type Verdict =
  | { readonly kind: "none" }
  | { readonly kind: "allow"; readonly by: Decider }
  | { readonly kind: "block"; readonly by: Decider }
  | { readonly kind: "rewrite"; readonly by: Decider; readonly action: Extract<Action, { kind: "rewrite" }> };

export type Decider =
  | { readonly kind: "rule"; readonly cause: string }
  | { readonly kind: "list"; readonly id: string };
