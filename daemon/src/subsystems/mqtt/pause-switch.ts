import type { InputOf } from "@portcullis/contract/endpoint";
import type { pauses } from "@portcullis/contract/subsystems/pauses";
import type { PublishedMqtt } from "@portcullis/contract/subsystems/mqtt";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Cause } from "../../ledger/change.ts";

type PauseBody = InputOf<(typeof pauses)["create"]>["body"];

interface Needs {
  readonly ledger: Ledger;
  readonly pauses: {
    readonly active: () => readonly { readonly id: string; readonly type: string; readonly source_type: string }[];
    readonly create: (cause: Cause, body: PauseBody) => unknown;
    readonly remove: (cause: Cause, id: string) => void;
  };
  /** The broker gets the state as it is, also if the switch had no effect. */
  readonly onTurned: () => void;
  readonly warn: (message: string, error: unknown) => void;
}

/** The switch that pauses DNS filtering for everyone, with the rights of the admin who configured it. */
export function pauseSwitch({ ledger, pauses, onTurned, warn }: Needs) {
  const isOffered = () => (ledger.staged<PublishedMqtt>("mqtt").all()[0]?.pause_switch_min ?? null) !== null;
  const forEveryone = () => pauses.active().filter((it) => it.type === "filtering" && it.source_type === "everyone");
  return {
    /** undefined: there is no switch. */
    isOn: (): boolean | undefined => (isOffered() ? forEveryone().length > 0 : undefined),
    /** A client of the broker turned it. */
    turn: (isOn: boolean, minutes: number): void => {
      const wanted = { type: "filtering", source_type: "everyone", duration_min: minutes } as const;
      try {
        const active = forEveryone();
        if (isOn && active.length === 0) pauses.create(bySwitch("create_pause"), { ...wanted, reason });
        if (!isOn) for (const { id } of active) pauses.remove(bySwitch("delete_pause"), id);
      } catch (error) {
        warn("The switch of the MQTT broker had no effect", error);
      }
      onTurned();
    },
  };
}

const bySwitch = (action: string) => ({ actor: "mqtt", action, resourceType: "pause" });
const reason = "Switch in Home Assistant";
