import type { Dhcp, DhcpRange } from "@portcullis/contract/subsystems/dhcp";

type RangeStatus = Omit<Dhcp["ranges"][number], keyof DhcpRange>;

/** A lease as the server has it. */
export interface HeldLease {
  readonly address: string;
  readonly mac: string;
  readonly hostname: string | null;
  readonly interface: string | null;
  readonly reserved: boolean;
  readonly expiresMs: number;
}

/** The source of the state of the DHCP server. */
export interface DhcpStatusSource {
  readonly range: (range: DhcpRange) => RangeStatus;
  readonly leases: () => Promise<readonly HeldLease[]>;
}

export const notServing = (status: RangeStatus["status"], reason: string): RangeStatus => ({
  status,
  reason,
  network: null,
  gateway: null,
  resolvers: [],
  reservations: 0,
});

/** Used while no engine runs. */
export const noDhcp: DhcpStatusSource = {
  range: () => notServing("off", "The dataplane is off"),
  leases: async () => [],
};
