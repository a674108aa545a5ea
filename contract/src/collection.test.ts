import Type from "typebox";
import { Compile } from "typebox/compile";
import { describe, expect, test } from "vitest";
import { api } from "./api.ts";
import { closed, collection, optionals, pageLimit, pageOf } from "./collection.ts";
import { auditAction, type Endpoints, operations, pathFields } from "./endpoint.ts";
import { Id, Name } from "./values.ts";

const all = operations(api).map(({ endpoint }) => endpoint);
const line = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describe("contract: the contract as a whole", () => {
  /** Endpoints that change nothing worth writing down although they are no GET. */
  const unaudited: readonly string[] = [
    "POST /tunnels/generate-keys",
    "POST /dns/test",
    "POST /policy/evaluate",
    "POST /policy/conflicts",
    "POST /validate",
    "POST /setup/plan",
  ];

  test("whatever is not a GET has a verb and a noun for the audit log, and a GET has none", () => {
    const changing = all.filter(({ method }) => method !== "GET");
    expect(changing.filter(({ audit }) => audit === undefined).map(line)).toEqual(unaudited);
    for (const { audit } of changing.filter((it) => !unaudited.includes(line(it))))
      expect(auditAction(audit!)).toMatch(/^[a-z]+(_[a-z][a-z0-9]*)+$/);
    // The audit log shows who has taken packets out of the gateway.
    const audited = ["GET /diagnostics/capture/{id}/download"];
    expect(all.filter(({ method, audit }) => method === "GET" && audit).map(line)).toEqual(audited);
  });

  test("no two endpoints share a method and a path, whatever their fields are called", () => {
    const places = all.flatMap(({ method, path, aliases = [] }) =>
      [path, ...aliases].map((it) => `${method} ${it.replace(/\{\w+\}/g, "{}")}`),
    );
    expect(places.filter((it, place) => places.indexOf(it) !== place)).toEqual([]);
  });

  test("no two commands are typed alike", () => {
    const words = all.flatMap(({ cli }) => (cli ? [cli.words.join(" ")] : []));
    expect(words.length).toBeGreaterThan(30);
    expect(words.filter((it, place) => words.indexOf(it) !== place)).toEqual([]);
    for (const word of words) expect(word).toMatch(/^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)*$/);
  });

  test("each field of a path is described, and a command's arguments fill fields that exist", () => {
    for (const { path, params, body, cli } of all) {
      const inPath = Object.keys(params?.properties ?? {});
      expect(inPath.toSorted()).toEqual(pathFields(path).toSorted());
      const inBody = Object.keys((body as { properties?: object } | undefined)?.properties ?? {});
      const options = Object.values(cli?.options ?? {});
      for (const argument of [...(cli?.args ?? []), ...options, ...(cli?.rest === undefined ? [] : [cli.rest])])
        expect([...inPath, ...inBody]).toContain(argument);
    }
  });

  test("every body refuses fields it does not know, and every query too", () => {
    const schemas = all
      .flatMap(({ body, requestType, query }) => [requestType ? undefined : body, query])
      .filter((it) => it !== undefined);
    expect(schemas.length).toBeGreaterThan(20);
    for (const schema of schemas) expect(schema).toMatchObject({ type: "object", additionalProperties: false });
  });

  test("every list that comes in pages takes a limit and a cursor, and answers an array", () => {
    const lists = all.filter(({ paged }) => paged);
    expect(lists.length).toBeGreaterThan(5);
    for (const { method, query, result } of lists) {
      expect(method).toBe("GET");
      expect(Object.keys(query!.properties)).toEqual(expect.arrayContaining(["limit", "cursor"]));
      expect(result).toMatchObject({ type: "array" });
    }
  });
});

/** What the specification names of this slice, method by method and path by path. */
const specified = `
  GET /auth/status
  POST /auth/setup
  POST /auth/login
  POST /auth/change-password
  GET /auth/tokens
  GET /auth/keys
  POST /auth/keys
  DELETE /auth/keys/{id}
  GET /health
  GET /status
  GET /observer
  GET /platform
  GET /devices
  POST /devices
  GET /devices/{id}
  PUT /devices/{id}
  DELETE /devices/{id}
  GET /device-groups
  POST /device-groups
  GET /trust-classes
  POST /trust-classes
  GET /privacy-classes
  POST /privacy-classes
  PUT /privacy-classes
  DELETE /privacy-classes
  GET /bridges
  POST /bridges
  GET /bridges/status
  GET /bridges/{id}
  PUT /bridges/{id}
  DELETE /bridges/{id}
  POST /bridges/{id}/toggle
  POST /bridges/{id}/test
  GET /splitting/status
  GET /splitting/endpoints
  POST /splitting/endpoints
  DELETE /splitting/endpoints
  GET /splitting/cover/stats
  GET /splitting/dns/status
  GET /splitting/transport
  POST /splitting/activate
  GET /system/wan-uplinks
  PUT /system/wan-uplinks
  GET /system/wan-manager
  GET /system/wan-health
  GET /system/interfaces
  GET /exceptions
  POST /exceptions
  DELETE /exceptions
  GET /exceptions/active
  GET /privacy/status
  GET /privacy/dns-mode
  PUT /privacy/dns-mode
  POST /privacy/force-dns
  POST /privacy/block-doh
  POST /privacy/block-ipv6
  POST /privacy/block-webrtc
  GET /privacy/leak-monitor
  POST /privacy/leak-check
  POST /captive/check
  GET /tunnels
  POST /tunnels
  GET /tunnels/{id}
  PUT /tunnels/{id}
  DELETE /tunnels/{id}
  POST /tunnels/{id}/up
  POST /tunnels/{id}/connect
  POST /tunnels/{id}/down
  POST /tunnels/{id}/disconnect
  GET /tunnels/{id}/config
  POST /tunnels/generate-keys
  POST /tunnels/import-wireguard
  POST /tunnels/upload-ovpn
  GET /tunnels/egress
  GET /proxies
  POST /proxies
  PUT /proxies
  DELETE /proxies
  GET /tproxy/status
  GET /dns/status
  GET /dns/cache
  POST /dns/cache/flush
  GET /dns/filter-rules
  POST /dns/filter-rules
  PUT /dns/filter-rules
  DELETE /dns/filter-rules
  GET /dns/zones
  POST /dns/zones
  PUT /dns/zones
  DELETE /dns/zones
  GET /dns/records
  POST /dns/records
  PUT /dns/records
  DELETE /dns/records
  GET /dns/rewrites
  POST /dns/rewrites
  DELETE /dns/rewrites
  GET /dns/allowlist
  POST /dns/allowlist
  DELETE /dns/allowlist
  GET /dns/blocklist
  POST /dns/blocklist
  DELETE /dns/blocklist
  GET /dns/forwarders
  POST /dns/forwarders
  PUT /dns/forwarders
  DELETE /dns/forwarders
  GET /dns/presets
  POST /dns/presets
  PUT /dns/presets
  DELETE /dns/presets
  GET /dns/rotation
  PUT /dns/rotation
  GET /dns/threat-feeds
  GET /dns/extfilter/status
  PUT /dns/extfilter
  POST /policy/evaluate
  POST /policy/conflicts
  GET /policy/leak-matrix
  GET /policy/fail-matrix
  GET /render
  GET /enforce
  POST /enforce/reconcile
  GET /audit
  GET /snapshots
  POST /rollback
  GET /settings
  PUT /settings
  GET /settings/{key}
  PUT /settings/{key}
  DELETE /settings/{key}
  GET /references/{type}/{id}
  POST /apply
  GET /config/export
  POST /config/import
  GET /secrets/encryption-status
  POST /secrets/set-passphrase
  POST /secrets/clear-passphrase
`;

test.each(
  specified
    .trim()
    .split("\n")
    .map((it) => it.trim()),
)("%s is answered", (wanted) => {
  const answered = all.flatMap(({ method, path, aliases = [] }) => [path, ...aliases].map((it) => `${method} ${it}`));
  expect(answered).toContain(wanted);
});

describe("contract: a plain resource", () => {
  const plain = {
    path: "/garden-gnomes",
    noun: "garden gnome",
    resource: Type.Object({ id: Id, name: Name, hat: Type.String() }),
    required: { name: Name },
    optional: { hat: Type.String() },
    filters: { hat: Type.String() },
    cli: "garden-gnomes",
    columns: ["id", "name"],
  } as const;

  test("is listed, shown, created, changed and deleted", () =>
    expect(Object.entries(collection(plain)).map(([name, it]) => `${name}: ${line(it)}`)).toEqual([
      "list: GET /garden-gnomes",
      "get: GET /garden-gnomes/{id}",
      "create: POST /garden-gnomes",
      "update: PUT /garden-gnomes/{id}",
      "remove: DELETE /garden-gnomes/{id}",
    ]));

  test("is audited under its noun", () => {
    const { create, update, remove } = collection(plain);
    expect([create, update, remove].map(({ audit }) => auditAction(audit))).toEqual([
      "create_garden_gnome",
      "update_garden_gnome",
      "delete_garden_gnome",
    ]);
  });

  test("needs its required fields when it is created, and none when it is changed", () => {
    const { create, update } = collection(plain);
    const [made, changed] = [Compile(create.body), Compile(update.body)];
    const bodies = [{ name: "Gus" }, { name: "Gus", hat: "red" }, { hat: "red" }, {}, { name: "Gus", shoes: 2 }];
    expect(bodies.map((it) => made.Check(it))).toEqual([true, true, false, false, false]);
    expect(bodies.map((it) => changed.Check(it))).toEqual([true, true, true, true, false]);
    expect([create.body, update.body]).toMatchObject([{ title: "GardenGnomeCreate" }, { title: "GardenGnomeUpdate" }]);
  });

  test("is read by viewers and changed by operators, unless it says otherwise", () => {
    const rolesOf = (it: Endpoints) => Object.values(it).map(({ role }) => role);
    expect(rolesOf(collection(plain))).toEqual(["viewer", "viewer", "operator", "operator", "operator"]);
    expect(rolesOf(collection({ ...plain, read: "admin", change: "admin" }))).toEqual(Array(5).fill("admin"));
  });

  test("takes changes on the collection itself only where it says so", () => {
    expect(Object.values(collection(plain)).flatMap((it) => ("aliases" in it ? it.aliases : []))).toEqual([]);
    const { update, remove } = collection({ ...plain, idInQuery: true });
    expect([update.aliases, remove.aliases]).toEqual([["/garden-gnomes"], ["/garden-gnomes"]]);
  });

  test("is filtered and paged within bounds", () => {
    const { query } = collection(plain).list;
    const check = Compile(query);
    const queries = [
      {},
      { hat: "red", limit: 1, cursor: "abc_-9" },
      { limit: pageLimit.maximum },
      { limit: 0 },
      { limit: pageLimit.maximum + 1 },
      { cursor: "" },
      { cursor: "a b" },
      { shoes: "2" },
    ];
    expect(queries.map((it) => check.Check(it))).toEqual([true, true, true, false, false, false, false, false]);
  });
});

test("contract: optionals may be left out and are otherwise what they were", () => {
  const check = Compile(closed(optionals({ a: Type.Integer() })));
  expect([{}, { a: 1 }, { a: "1" }, { a: null }].map((it) => check.Check(it))).toEqual([true, true, false, false]);
  expect(Object.keys(pageOf({}).properties)).toEqual(["limit", "cursor"]);
});
