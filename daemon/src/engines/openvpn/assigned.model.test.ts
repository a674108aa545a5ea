import { because, sentence } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { hostAddresses, problemOfAssigned } from "./assigned.model.ts";

const reserved = [
  { network: "192.168.1.1/24", owner: because("owner_interface", { interface: "lan0" }) },
  { network: "10.64.0.53", owner: because("owner_resolver") },
  { network: "fd00:1::/64", owner: because("owner_network", { interface: "lan0" }) },
];

test.each([[["10.8.0.2"]], [["172.16.0.2"]], [["192.168.2.2"]], [["100.64.0.2"]], [["10.8.0.2", "fd00:2::2"]]])(
  "private addresses outside reserved networks are accepted: %s",
  (addresses) => {
    expect(problemOfAssigned(addresses, reserved)).toBeUndefined();
  },
);

test.each([
  [[], "assigned no address"],
  [["203.0.113.80"], "Only private addresses"],
  [["127.0.0.2"], "Only private addresses"],
  [["0.0.0.0"], "Only private addresses"],
  [["169.254.1.1"], "Only private addresses"],
  [["224.0.0.5"], "Only private addresses"],
  [["172.32.0.1"], "Only private addresses"],
  [["10.8.0.2", "2001:db8::1"], "Only private addresses"],
  [["10.8.0.2", "fe80::1"], "Only private addresses"],
  [["::ffff:192.168.1.9"], "the interface lan0"],
  [["192.168.1.77"], "belongs to the interface lan0 (192.168.1.1/24)"],
  [["10.64.0.53"], "belongs to a resolver"],
  [["10.8.0.2", "fd00:1::9"], "belongs to the network of lan0"],
  [["10.8.0.2/1"], "unreadable"],
  [["10.8.0.2 dev lan0"], "unreadable"],
] as const)("refused: %s, because %s", (addresses, reason) => {
  expect(sentence(problemOfAssigned(addresses, reserved)!)).toContain(reason);
});

test("addresses are added as single hosts", () => {
  expect(hostAddresses(["10.8.0.2", "fd00:2::2"])).toEqual(["10.8.0.2/32", "fd00:2::2/128"]);
});
