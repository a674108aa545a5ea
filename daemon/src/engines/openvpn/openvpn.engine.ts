import type { Engine } from "../engine.ts";
import type { CarrierState } from "../carrier.ts";
import type { OpenvpnClient } from "./openvpn.model.ts";
export function openvpn(_: object): Engine<readonly OpenvpnClient[]> & {
  states(): ReadonlyMap<string, CarrierState>;
  renew(name: string): Promise<void>;
} {
  return {
    name: "openvpn",
    observe: async () => 0,
    changes: () => [],
    apply: async () => {},
    drift: () => [],
    states: () => new Map(),
    renew: async () => {},
  };
}
