import type { RouterAdvertisement, RouterAdvertisements } from "@portcullis/contract/subsystems/router-advertisements";

type InterfaceStatus = Omit<RouterAdvertisements["interfaces"][number], keyof RouterAdvertisement>;

/** The state of the advertisements on one interface. */
export type AdvertisementStatusSource = (wanted: RouterAdvertisement) => InterfaceStatus;

export const notAdvertising = (status: InterfaceStatus["status"], reason: string): InterfaceStatus => ({
  status,
  reason,
  prefixes: [],
  resolvers: [],
});
