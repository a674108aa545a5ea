/** One Unbound: it validates and caches for one egress, and queries its frontend only. */
export interface Validator {
  /** The number of its frontend. */
  readonly number: number;
  /** One of `ownUsers`; it has no egress but loopback. */
  readonly userId: number;
  readonly port: number;
  /** The backend port of its frontend, to which it forwards everything. */
  readonly frontendPort: number;
  readonly isValidating: boolean;
  /** DS or DNSKEY records in the form of a zone file. */
  readonly anchors: readonly string[];
  /** Domains outside the public DNS tree: custom zones, conditional forwards. Changed without a restart. */
  readonly insecure: readonly string[];
  /** The dates of signatures are ignored while the clock is not trusted. Changed without a restart. */
  readonly ignoresDates: boolean;
}
