import type { InputOf } from "@portcullis/contract/endpoint";
import type {
  PublishedRouterAdvertisements,
  RouterAdvertisement,
  RouterAdvertisements,
  routerAdvertisements,
} from "@portcullis/contract/subsystems/router-advertisements";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { refuseField } from "../resources.ts";
import type { AdvertisementStatusSource } from "./router-advertisements.status.ts";

type PutBody = InputOf<typeof routerAdvertisements.put>["body"];

interface Needs {
  readonly ledger: Ledger;
  /** LAN interfaces. */
  readonly lan: () => readonly string[];
  readonly statusSource: AdvertisementStatusSource;
}

/** All interfaces are one resource, so that they are published and rolled back together. */
const kind = "router_advertisements";

export type RouterAdvertisementService = ReturnType<typeof routerAdvertisementService>;

/** On which LAN interfaces the gateway is advertised as IPv6 router. */
export function routerAdvertisementService({ ledger, lan, statusSource }: Needs) {
  const collection = ledger.staged<PublishedRouterAdvertisements>(kind);
  const interfaces = (): readonly RouterAdvertisement[] => collection.get(kind)?.interfaces ?? [];
  return {
    get: (): RouterAdvertisements => ({ interfaces: interfaces().map((it) => ({ ...it, ...statusSource(it) })) }),
    put: (cause: Cause, body: PutBody): void => {
      const wanted = body.interfaces.map((it) => ({ ...it, lifetime_sec: it.lifetime_sec ?? defaultLifetimeSec }));
      for (const [index, { interface: name }] of wanted.entries()) {
        if (!lan().includes(name))
          refuseField(
            `interfaces.${index}.interface`,
            `must be a LAN interface of the gateway: ${lan().join(", ")}; not ${name}`,
          );
        if (wanted.findIndex((it) => it.interface === name) !== index)
          refuseField("interfaces", `must name ${name} once only`);
      }
      const published: PublishedRouterAdvertisements = { id: kind, interfaces: wanted };
      ledger.change(cause, (draft) => draft.put(kind, published));
    },
  };
}

const defaultLifetimeSec = 1800;
