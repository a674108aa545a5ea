import { type AddressJson, setAddresses } from "../link-listing.parse.ts";
import type { ObservedLink } from "./bridge.model.ts";

interface LinkJson {
  readonly ifname?: string;
  readonly flags?: readonly string[];
  readonly master?: string;
  readonly linkinfo?: {
    readonly info_kind?: string;
    readonly info_data?: { readonly stp_state?: number };
    readonly info_slave_kind?: string;
    readonly info_slave_data?: { readonly state?: string };
  };
  readonly addr_info?: readonly AddressJson[];
}

/** `ip -j -d address show` → interfaces. */
export function parseLinks(json: string): ObservedLink[] {
  return (JSON.parse(json || "[]") as LinkJson[]).flatMap(({ ifname, flags = [], master, linkinfo, addr_info = [] }) =>
    ifname === undefined
      ? []
      : [
          {
            name: ifname,
            isBridge: linkinfo?.info_kind === "bridge",
            stp: (linkinfo?.info_data?.stp_state ?? 0) !== 0,
            up: flags.includes("UP"),
            carrier: flags.includes("LOWER_UP"),
            master: master ?? null,
            portState: linkinfo?.info_slave_kind === "bridge" ? (linkinfo.info_slave_data?.state ?? null) : null,
            addresses: setAddresses(addr_info),
          },
        ],
  );
}
