import { parseCidr } from "../../net/addresses.ts";
import type { Caller } from "@portcullis/contract/handler";
import { expect, test } from "vitest";
import { identifier } from "./identify.ts";

const viewer: Caller = { actor: "key:dashboard", role: "viewer", via: "key", credentialId: "1" };
const ada: Caller = { actor: "ada", role: "admin", via: "session", credentialId: "2" };

const shown = {
  enabled: [true, false],
  localNet: ["", "127.0.0.0/8", "10.0.0.0/24", "fd00::/64"],
  header: ["none", "good key", "bad key", "basic", "half", "empty"],
  cookie: ["none", "good", "bad", "empty", "other", "good among others"],
  address: ["127.0.0.1", "::ffff:127.0.0.1", "10.0.0.7", "10.0.1.7", "fd00::7", "2001:db8::7", ""],
  isRead: [true, false],
  forwarded: [true, false],
  localUser: [undefined, "root"],
} as const;
type World = { readonly [K in keyof typeof shown]: (typeof shown)[K][number] };

const every = Object.entries(shown).reduce<object[]>(
  (worlds, [field, values]) => worlds.flatMap((world) => values.map((value) => ({ ...world, [field]: value }))),
  [{}],
) as readonly World[];

const headers: Readonly<Record<World["header"], string | undefined>> = {
  none: undefined,
  "good key": "Bearer good-key",
  "bad key": "bearer bad-key",
  basic: "Basic YWRhOmFkYQ==",
  half: "Bearer",
  empty: "",
};
const cookies: Readonly<Record<World["cookie"], string | undefined>> = {
  none: undefined,
  good: "gateway_session=good-token",
  bad: "gateway_session=bad-token",
  empty: "gateway_session=",
  other: "theme=dark",
  "good among others": "theme=dark; gateway_session=good-token; lang=en",
};

const decide = ({ enabled, localNet, header, cookie, address, isRead, forwarded, localUser }: World): string =>
  identifier({
    enabled,
    localNet: parseCidr(localNet),
    byKey: (bearer) => (bearer === "good-key" ? viewer : undefined),
    bySession: (token) => (token === "good-token" ? ada : undefined),
  })({
    authorization: headers[header],
    cookie: cookies[cookie],
    address,
    isRead,
    isForwarded: () => forwarded,
    localUser,
    isEncrypted: false,
  })?.actor ?? "unknown";

/** The same decision, written as a table of who wins rather than as steps. */
function model({ enabled, localNet, header, cookie, address, isRead, forwarded, localUser }: World): string {
  const hasSession = cookie === "good" || cookie === "good among others";
  const insiders: Readonly<Record<string, readonly string[]>> = {
    "127.0.0.0/8": ["127.0.0.1", "::ffff:127.0.0.1"],
    "10.0.0.0/24": ["10.0.0.7"],
    "fd00::/64": ["fd00::7"],
  };
  const showsNothing = header === "none" && ["none", "empty", "other"].includes(cookie);
  const isNeighbour = (insiders[localNet] ?? []).includes(address);
  const rules: readonly (readonly [boolean, string])[] = [
    [header === "good key", "key:dashboard"],
    [header !== "bad key" && hasSession, "ada"],
    [localUser === "root" && showsNothing && !forwarded, "local:root"],
    [!enabled, "anonymous"],
    [showsNothing && isRead && isNeighbour && !forwarded, "local"],
  ];
  return rules.find(([applies]) => applies)?.[1] ?? "unknown";
}

test("identification: who a request is agrees with the table, for every combination of what it shows", () => {
  const disagreements = every.filter((it) => decide(it) !== model(it));
  expect(disagreements).toEqual([]);
  expect([every.length, new Set(every.map(decide))]).toEqual([
    16_128,
    new Set(["key:dashboard", "ada", "anonymous", "local", "local:root", "unknown"]),
  ]);
});

test("identification: headers of a request are looked at only when they could matter", () => {
  let looks = 0;
  const identify = identifier({
    enabled: true,
    localNet: parseCidr("127.0.0.0/8"),
    byKey: () => viewer,
    bySession: () => ada,
  });
  const isForwarded = () => (looks += 1) > 0;
  const bare = {
    authorization: undefined,
    cookie: undefined,
    address: "127.0.0.1",
    isRead: true,
    isForwarded,
    localUser: undefined,
    isEncrypted: false,
  };
  identify({ ...bare, authorization: "Bearer x" });
  identify({ ...bare, address: "192.0.2.1" });
  expect(looks).toBe(0);
  expect([identify(bare), looks]).toEqual([undefined, 1]);
});

test("identification: over TLS only the cookie with the prefix counts, and without TLS only the one without", () => {
  const identify = identifier({ enabled: true, localNet: undefined, byKey: () => undefined, bySession: () => ada });
  const who = (cookie: string, isEncrypted: boolean) =>
    identify({
      authorization: undefined,
      cookie,
      address: "192.0.2.1",
      isRead: true,
      isForwarded: () => false,
      localUser: undefined,
      isEncrypted,
    })?.actor;
  expect([who("__Host-gateway_session=x", true), who("gateway_session=x", false)]).toEqual(["ada", "ada"]);
  expect([who("gateway_session=x", true), who("__Host-gateway_session=x", false)]).toEqual([undefined, undefined]);
});
