/** The LAN interfaces whose first packets are recorded. */
export interface Scans {
  readonly lan: readonly string[];
}
