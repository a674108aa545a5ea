import { explained, type Reason } from "@portcullis/contract/reason";
import type { RouterAdvertisement, RouterAdvertisements } from "@portcullis/contract/subsystems/router-advertisements";

type InterfaceStatus = Omit<RouterAdvertisements["interfaces"][number], keyof RouterAdvertisement>;

/** The state of the advertisements on one interface. */
export type AdvertisementStatusSource = (wanted: RouterAdvertisement) => InterfaceStatus;

export const notAdvertising = (status: InterfaceStatus["status"], reason: Reason): InterfaceStatus => ({
  status,
  ...explained(reason),
  prefixes: [],
  resolvers: [],
});
