import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import {
  type Dhcp,
  type dhcp,
  dhcpId,
  type DhcpLease,
  type DhcpRange,
  type PublishedDhcp,
} from "@portcullis/contract/subsystems/dhcp";
import type { Cause } from "../../ledger/change.ts";
import type { Resource } from "../../ledger/collection.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { formatAddress, parseAddress } from "../../net/addresses.ts";
import { refuseField } from "../resources.ts";
import type { DhcpStatusSource } from "./dhcp.status.ts";

type PutBody = InputOf<typeof dhcp.put>["body"];

interface Needs {
  readonly ledger: Ledger;
  /** LAN interfaces. */
  readonly lan: () => readonly string[];
  readonly statusSource: DhcpStatusSource;
}

interface Device extends Resource {
  readonly name: string;
  readonly mac: string | null;
}

export type DhcpService = ReturnType<typeof dhcpService>;

/** The DHCP server. Without ranges it does not run. */
export function dhcpService({ ledger, lan, statusSource }: Needs) {
  const collection = ledger.staged<PublishedDhcp>("dhcp");
  const ranges = (): readonly DhcpRange[] => collection.get(dhcpId)?.ranges ?? [];
  const get = (): Dhcp => ({ ranges: ranges().map((it) => ({ ...it, ...statusSource.range(it) })) });

  async function leases(): Promise<DhcpLease[]> {
    const held = await statusSource.leases().catch((error: unknown) => {
      throw new Problem("engine_unavailable", {}, { message: (error as Error).message });
    });
    const byMac = new Map(
      ledger
        .staged<Device>("device")
        .all()
        .map((it) => [it.mac, it]),
    );
    return held
      .toSorted((a, b) => (parseAddress(a.address)!.value < parseAddress(b.address)!.value ? -1 : 1))
      .map(({ expiresMs, ...lease }) => {
        const device = byMac.get(lease.mac);
        return {
          ...lease,
          device_id: device?.id ?? null,
          device_name: device?.name ?? null,
          expires_at: new Date(expiresMs).toISOString(),
        };
      });
  }

  return {
    get,
    leases,
    put: (cause: Cause, body: PutBody): void => {
      const wanted = body.ranges.map(normalize);
      for (const [index, range] of wanted.entries()) refuseImpossible(range, `ranges.${index}`, lan());
      const twice = wanted.find((it, index) => wanted.findIndex((one) => one.interface === it.interface) !== index);
      if (twice) refuseField("ranges", `use the interface ${twice.interface} twice; one range per interface`);
      const published: PublishedDhcp = { id: dhcpId, ranges: wanted };
      ledger.change(cause, (draft) => draft.put("dhcp", published));
    },
  };
}

const normalize = ({ interface: name, first, last, lease_sec }: PutBody["ranges"][number]): DhcpRange => ({
  interface: name,
  first: formatAddress(parseAddress(first)!),
  last: formatAddress(parseAddress(last)!),
  lease_sec: lease_sec ?? defaultLeaseSec,
});

const defaultLeaseSec = 43_200;
/** The largest network that is used as a LAN. A longer range is a typing error. */
const maxAddresses = 65_536n;

function refuseImpossible({ interface: name, first, last }: DhcpRange, field: string, lan: readonly string[]): void {
  if (!lan.includes(name))
    refuseField(`${field}.interface`, `must be a LAN interface of the gateway: ${lan.join(", ")}; not ${name}`);
  const [from, to] = [parseAddress(first)!.value, parseAddress(last)!.value];
  if (to < from) refuseField(`${field}.last`, `must not be before first, which is ${first}; not ${last}`);
  if (to - from >= maxAddresses) refuseField(`${field}.last`, `must be at most 65,535 addresses after ${first}`);
}
