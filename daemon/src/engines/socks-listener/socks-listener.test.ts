import { join } from "node:path";
import { expect, test } from "vitest";
import type { SocksListener } from "./socks-listener.model.ts";
import { firstAddresses } from "./socks-listener.parse.ts";
import { impediment, renderSocksListener } from "./socks-listener.render.ts";

const golden = (name: string): string => join(import.meta.dirname, "goldens", name);
const open: SocksListener = {
  name: "kiosk",
  listen: { address: "10.0.0.1", port: 1080 },
  interface: "wg0",
  credentials: null,
  userId: 1_900_001_080,
};
const locked = (username: string, password: string): SocksListener => ({
  ...open,
  credentials: { username, password },
  nameservers: ["192.0.2.53", "2001:db8::53"],
});

test("SOCKS5 listener: one for all clients, without name resolution", () =>
  expect(renderSocksListener(open, { v4: "192.0.2.1", v6: null })).toMatchFileSnapshot(golden("open.txt")));

test("SOCKS5 listener: one with a password, that resolves names", () =>
  expect(renderSocksListener(locked("alice", "secret"), { v4: "192.0.2.1", v6: "2001:db8::1" })).toMatchFileSnapshot(
    golden("locked.txt"),
  ));

test("a name or password that SOCKS5 cannot transmit is reported", () => {
  expect(impediment(locked("", "x"))).toMatchObject({ code: "username_size" });
  expect(impediment(locked("ü".repeat(128), "x"))).toMatchObject({ code: "username_size" });
  expect(impediment(locked("alice", ""))).toMatchObject({ code: "password_size" });
  expect(impediment(locked("a:b", "ä b:c\n"))).toBeUndefined();
  expect(impediment(open)).toBeUndefined();
});

test("the first address of each interface that reaches further than its link", () => {
  const json = `[{"ifname":"lo","addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8,"scope":"host"}]},{},
{"ifname":"wg0","addr_info":[{"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link"},
{"family":"inet6","local":"2001:db8::1","prefixlen":64,"scope":"global"},{"family":"inet6","local":"2001:db8::2","prefixlen":64,"scope":"global"}]}]`;
  expect([...firstAddresses(json)]).toEqual([["wg0", "2001:db8::1"]]);
});
