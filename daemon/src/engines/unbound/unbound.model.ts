/** One Unbound: it validates and remembers for one way, and asks nobody but the front it stands behind. */
export interface Validator {
  /** The number of its front. */
  readonly number: number;
  /** One of `ownUsers`; it has no way but loopback. */
  readonly userId: number;
  readonly port: number;
  /** Of the front, which it asks for everything. */
  readonly frontendPort: number;
  readonly isValidating: boolean;
  /** DS or DNSKEY records in the form of a zone file. */
  readonly anchors: readonly string[];
  /** Domains that are not in the world's tree: custom zones, conditional forwards. Changed without a restart. */
  readonly insecure: readonly string[];
  /** Signatures count whatever their dates: for as long as the clock is not to be trusted. Changed without a restart. */
  readonly ignoresDates: boolean;
}
