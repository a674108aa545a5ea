import { because, explained, type Reason } from "@portcullis/contract/reason";
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

export const notServing = (status: RangeStatus["status"], reason: Reason): RangeStatus => ({
  status,
  ...explained(reason),
  network: null,
  gateway: null,
  resolvers: [],
  reservations: 0,
});

/** Used while no engine runs. */
export const noDhcp: DhcpStatusSource = {
  range: () => notServing("off", because("dataplane_off")),
  leases: async () => [],
};
