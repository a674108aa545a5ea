/** Why a file or the answer of a server is not taken: in words of our own, and not in those of the network. */
export type SourceProblem =
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "slow"; readonly limitMs: number }
  | { readonly kind: "redirected"; readonly limit: number }
  | { readonly kind: "packed"; readonly encoding: string }
  | { readonly kind: "no-url"; readonly url: string }
  | { readonly kind: "too-large"; readonly megabytes: number }
  | { readonly kind: "missing"; readonly folder: string }
  | { readonly kind: "downgraded" | "protocol" | "password" | "inside" };

export class RefusedSource extends Error {
  readonly problem: SourceProblem;
  constructor(problem: SourceProblem, options?: ErrorOptions) {
    super(JSON.stringify(problem), options);
    this.problem = problem;
  }
}

export const tooLarge = (maxBytes: number): RefusedSource =>
  new RefusedSource({ kind: "too-large", megabytes: Math.floor(maxBytes / (1 << 20)) });
