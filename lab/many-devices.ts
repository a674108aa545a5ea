import { ledgerIn } from "../testing/ledger-file.ts";
import { newId } from "../daemon/src/subsystems/resources.ts";
import type { Policy } from "@portcullis/contract/subsystems/routing";
import { startJsonScript } from "./json-script.ts";
import type { Host } from "./namespaces.ts";
import { systemOn } from "./system.ts";

/** A device of the inventory, and of `many-senders.py`. */
interface ManyDevice {
  readonly id: string;
  readonly mac: string;
  readonly address: string;
  readonly group: number;
  /** By its state, or by its policy. */
  readonly isBlocked: boolean;
}

/** Groups, each with a policy. That of the last one blocks. */
export const groupCount = 10;

/**
 * Known by their MAC addresses only. Written directly into the ledger while no daemon has it open: through the API it would take
 * minutes. One of a hundred is quarantined.
 */
export function fillInventory(stateFolder: string, count: number) {
  const ledger = ledgerIn(stateFolder);
  const cause = { actor: "lab", action: "fill", resourceType: "device" };
  const groups = Array.from({ length: groupCount }, (_, n) => ({ id: newId(), name: `group ${n}`, description: "" }));
  const policies = groups.map(
    ({ id }, n): Policy => ({
      id: newId(),
      name: `policy ${n}`,
      priority: 100 + n,
      enabled: true,
      source_type: "device_group",
      source_value: id,
      hops: n === groupCount - 1 ? [] : [{ type: "interface", target: "wan0" }],
      fail_policy: "fail-closed",
      splitting: false,
      profile_id: null,
    }),
  );
  const devices = Array.from({ length: count }, (_, n): ManyDevice => {
    const [group, isQuarantined] = [n % groupCount, n % 100 === 77];
    return { id: newId(), ...cardOf(n), group, isBlocked: isQuarantined || group === groupCount - 1 };
  });
  const blank = { hostname: null, ips: [], vendor: null, notes: "", trust_class: null, privacy_class: null };
  const first_seen = new Date(0).toISOString();
  ledger.change(cause, (draft) => {
    for (const it of groups) draft.put("device_group", it);
    for (const it of policies) draft.put("routing_policy", it);
    for (const [n, { id, mac, group, isBlocked }] of devices.entries()) {
      const state = isBlocked && group !== groupCount - 1 ? "quarantined" : "known";
      const device = { ...blank, id, name: `Device ${n}`, mac, state, profile_id: null, first_seen };
      draft.put("device", { ...device, group_ids: [groups[group]!.id] } as { id: string });
    }
  });
  ledger.releases.apply(cause);
  ledger.close();
  return { devices, policies };
}

/** As `many-senders.py` computes them. */
function cardOf(n: number): Pick<ManyDevice, "mac" | "address"> {
  const hex = (byte: number) => byte.toString(16).padStart(2, "0");
  return { mac: `02:00:00:01:${hex(n >> 8)}:${hex(n & 255)}`, address: `10.77.${16 + (n >> 8)}.${n & 255}` };
}

/**
 * Static entries: all network namespaces of a machine share the limit of the kernel's table of neighbours, and static entries do not
 * count.
 */
export async function addNeighbours(gateway: Host, devices: readonly ManyDevice[]): Promise<void> {
  const lines = devices.map(({ mac, address }) => `neigh replace ${address} lladdr ${mac} dev lan0 nud permanent\n`);
  await systemOn(gateway).run("ip", ["-batch", "-"], { stdin: lines.join("") });
}

/** What was sent of a device. */
export interface Sent {
  readonly packets: number;
  readonly bytes: number;
}

/** The devices' datagrams, and a server that answers them; both count what they sent. */
export async function startManySenders(
  client: Host,
  outside: Host,
  options: { readonly gatewayMac: string; readonly target: string; readonly count: number; readonly perSecond: number },
) {
  const { gatewayMac, target, count, perSecond } = options;
  const answers = await startJsonScript(outside, "many-answers.py", target);
  const senders = await startJsonScript(
    client,
    "many-senders.py",
    "eth0",
    gatewayMac,
    target,
    String(count),
    String(perSecond),
  );
  return {
    /** By device, in the order of the inventory. */
    send: async (port: number): Promise<readonly Sent[]> =>
      ((await senders.request(`send ${port}`)) as readonly (readonly [number, number])[]).map(([packets, bytes]) => ({
        packets,
        bytes,
      })),
    /** Since the start. */
    answered: async (): Promise<readonly (Sent & { readonly received: number })[]> => {
      const found = (await answers.request("report")) as Readonly<Record<string, readonly [number, number, number]>>;
      return Array.from({ length: count }, (_, n) => {
        const [received, packets, bytes] = found[n] ?? [0, 0, 0];
        return { received, packets, bytes };
      });
    },
  };
}
