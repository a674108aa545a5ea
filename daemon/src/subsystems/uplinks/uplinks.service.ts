import { formatAddress, parseAddress } from "../../net/addresses.ts";
import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import {
  type Uplink,
  type UplinkDecisions,
  type UplinkHealth,
  type uplinks,
  defaultProbeTargets,
  type WanUplinks,
} from "@portcullis/contract/subsystems/uplinks";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Resource } from "../../ledger/collection.ts";
import { given, refuseField } from "../resources.ts";
import type { UplinkStatusSource } from "./uplinks.status.ts";

type PutBody = InputOf<typeof uplinks.put>["body"];
type GivenUplink = NonNullable<PutBody["uplinks"]>[number];

interface Needs {
  readonly ledger: Ledger;
  /** The uplink of the bootstrap file. */
  readonly wan: string;
  /** LAN interfaces. */
  readonly lan: () => readonly string[];
  readonly statusSource: UplinkStatusSource;
}

/** All uplinks are one resource, so that they are published and rolled back together. */
export const uplinksId = "uplinks";
type StagedUplinks = WanUplinks & Resource;

interface Bridge extends Resource {
  readonly name: string;
  readonly members: readonly string[];
}
interface Tunnel extends Resource {
  readonly name: string;
  readonly interface: string;
}

export type Uplinks = ReturnType<typeof uplinkService>;

/** The uplinks, of which one is used. The default is the uplink of the bootstrap file. */
export function uplinkService({ ledger, wan, lan, statusSource }: Needs) {
  const collection = ledger.staged<StagedUplinks>("uplinks");
  const byDefault: StagedUplinks = {
    id: uplinksId,
    wan_failover_mode: "manual",
    active: null,
    uplinks: [normalize({ name: wan, interface: wan })],
  };
  const staged = (): StagedUplinks => collection.get(uplinksId) ?? byDefault;
  const shown = ({ wan_failover_mode, active, uplinks: list }: StagedUplinks): WanUplinks => ({
    wan_failover_mode,
    active,
    uplinks: list,
  });

  function refuseTaken({ interface: link }: Uplink, field: string): void {
    const bridge = ledger
      .staged<Bridge>("bridge")
      .all()
      .find(({ members }) => members.includes(link));
    const tunnel = ledger
      .staged<Tunnel>("tunnel")
      .all()
      .find((it) => it.interface === link);
    if (lan().includes(link)) contradict(field, `${link} is a LAN interface of the gateway`);
    if (bridge)
      contradict(
        field,
        `${link} is a port of the bridge ${bridge.name}: devices would reach it without the gateway's rules`,
      );
    if (tunnel)
      contradict(field, `${link} is the interface of the tunnel ${tunnel.name}, which needs an uplink itself`);
  }

  return {
    get: (): WanUplinks => shown(staged()),
    put: (cause: Cause, body: PutBody): WanUplinks => {
      const wanted: StagedUplinks = { ...staged(), ...given({ ...body, uplinks: body.uplinks?.map(normalize) }) };
      refuseContradictory(wanted);
      for (const [index, uplink] of wanted.uplinks.entries()) refuseTaken(uplink, `uplinks.${index}.interface`);
      if (!wanted.uplinks.some((it) => it.interface === wan))
        contradict(
          "uplinks",
          `${wan} must be among them: it is network.wan_iface, the only uplink that the guard knows before the daemon starts. Disable it here, or change the bootstrap file`,
        );
      ledger.change(cause, (draft) => draft.put("uplinks", wanted));
      return shown(wanted);
    },
    /** The interfaces of all uplinks, enabled or not. */
    interfaces: (): string[] => [...new Set([wan, ...staged().uplinks.map((it) => it.interface)])],
    decisions: (): UplinkDecisions => statusSource.decisions(shown(staged())),
    health: (): UplinkHealth[] => statusSource.health(shown(staged())),
  };
}

const normalize = ({ name, interface: link, priority, enabled, probe_targets }: GivenUplink): Uplink => ({
  name,
  interface: link,
  priority: priority ?? defaultPriority,
  enabled: enabled ?? true,
  probe_targets: [...new Set((probe_targets ?? defaultProbeTargets).map(oneSpelling))],
});

const defaultPriority = 100;

const oneSpelling = (address: string): string => {
  const parsed = parseAddress(address);
  return parsed ? formatAddress(parsed) : refuseField("uplinks", `${address} is not a valid address`);
};

/** Refuses a list of uplinks that contradicts itself. */
function refuseContradictory({ active, uplinks }: WanUplinks): void {
  const twice = (words: readonly string[]) => words.find((word, index) => words.indexOf(word) !== index);
  const name = twice(uplinks.map((it) => it.name));
  const link = twice(uplinks.map((it) => it.interface));
  if (name !== undefined) refuseField("uplinks", `name ${name} twice`);
  if (link !== undefined) refuseField("uplinks", `use the interface ${link} twice`);
  if (!uplinks.some(({ enabled }) => enabled)) refuseField("uplinks", "need one that is enabled");
  if (active !== null && !uplinks.some((it) => it.name === active && it.enabled))
    refuseField("active", `must be the name of an enabled uplink, or null; not ${active}`);
}

function contradict(field: string, message: string): never {
  throw new Problem("conflict", { field }, { message });
}
