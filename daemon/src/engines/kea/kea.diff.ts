import type { DhcpSubnet } from "./kea.model.ts";

/** Whether two configurations lease the same addresses with the same options. The order of subnets does not matter. */
export const isSameDhcp = (a: readonly DhcpSubnet[], b: readonly DhcpSubnet[]): boolean => textOf(a) === textOf(b);

const textOf = (subnets: readonly DhcpSubnet[]): string =>
  subnets
    .map((it) => {
      const { interface: name, link, network, gateway, resolvers, first, last, leaseSec } = it;
      const reservations = it.reservations.map(({ mac, address }) => `${mac} ${address}`).toSorted();
      return JSON.stringify([name, link, network, gateway, resolvers, first, last, leaseSec, reservations]);
    })
    .toSorted()
    .join("\n");
