import { join } from "node:path";
import { expect, test } from "vitest";
import type { SocksListener } from "./dante.model.ts";
import { firstAddresses } from "./dante.parse.ts";
import { impediment, renderDante, renderShadow } from "./dante.render.ts";

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
const whole = (files: Readonly<Record<string, string>>): string =>
  Object.entries(files)
    .map(([name, text]) => `# ${name}\n${text}`)
    .join("\n");

test("dante: a listener for the whole LAN, without name resolution", () =>
  expect(whole(renderDante(open, ["192.0.2.1"]))).toMatchFileSnapshot(golden("open.txt")));

test("a listener with a password, that may ask for names", () =>
  expect(whole(renderDante(locked("alice", "secret"), ["192.0.2.1", "2001:db8::1"]))).toMatchFileSnapshot(
    golden("locked.txt"),
  ));

test("no password is among the settings", () => {
  expect(whole(renderDante(locked("alice", "hunter2"), ["192.0.2.1"]))).not.toContain("hunter2");
  expect(renderShadow("alice", "$6$salt$hash")).toBe("alice:$6$salt$hash:1:0:99999:7:::\n");
});

test("what an account file cannot say is said beforehand", () => {
  expect(impediment(locked("a:b", "x"))).toMatchObject({ code: "username_signs" });
  expect(impediment(locked("a\nroot", "x"))).toMatchObject({ code: "username_signs" });
  expect(impediment(locked("alice", "a\nb"))).toMatchObject({ code: "password_unprintable" });
  expect(impediment(locked("alice", ""))).toMatchObject({ code: "password_size" });
  expect(impediment(locked("alice", "ä b:c"))).toBeUndefined();
  expect(impediment(open)).toBeUndefined();
});

test("the first address of each interface that reaches further than its link", () => {
  const json = `[{"ifname":"lo","addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8,"scope":"host"}]},{},
{"ifname":"wg0","addr_info":[{"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link"},
{"family":"inet6","local":"2001:db8::1","prefixlen":64,"scope":"global"},{"family":"inet6","local":"2001:db8::2","prefixlen":64,"scope":"global"}]}]`;
  expect([...firstAddresses(json)]).toEqual([["wg0", "2001:db8::1"]]);
});
