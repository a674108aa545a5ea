import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ownSec } from "../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import { describeMistake } from "./mistake.ts";
import { parseBootstrap } from "./bootstrap.ts";

const file = "/etc/portcullis/portcullis.yaml";

function accepted(text: string) {
  const parsed = parseBootstrap(text, file);
  if (parsed.kind === "mistakes") throw new Error(parsed.mistakes.map(describeMistake).join("\n"));
  return parsed;
}

/** The mistakes as an operator sees them, without the name of the file. */
function mistakesIn(text: string): string[] {
  const parsed = parseBootstrap(text, file);
  if (parsed.kind === "ok") throw new Error("The file was accepted");
  return parsed.mistakes.map((it) => describeMistake(it).replace(`${file}:`, ""));
}

describe("bootstrap file: defaults", () => {
  test.each(["", "\n\n", "# nothing but a remark\n", "listen:\nauth:\n", "---\n", "{}", "\uFEFF"])(
    "%j means the defaults",
    (text) => {
      const { bootstrap, given } = accepted(text);
      expect(bootstrap).toEqual(accepted("").bootstrap);
      expect([...given]).toEqual([]);
    },
  );

  test("they are the documented ones", () =>
    expect(accepted("").bootstrap).toEqual({
      listen: { api_addr: "127.0.0.1:8080", hosts: [], unix_socket: "/run/portcullis/api.sock" },
      log: { level: "info" },
      network: {
        mode: "primary",
        wan_iface: "eth0",
        lan_iface: "eth1",
        more_lan_ifaces: [],
        lan_address: "",
        uplink_ports: [],
        default_egress: "direct",
      },
      dns: {
        enabled: true,
        listen_addr: "0.0.0.0:53",
        upstream_servers: [],
        upstream_mode: "plain",
        backend: "integrated",
        filtering_enabled: true,
        trust_anchors: [],
      },
      captive: { check_url: "http://detectportal.firefox.com/success.txt", check_answer: "success" },
      dhcp: { enabled: false },
      auth: { enabled: false, api_keys: [], local_net: "127.0.0.0/8" },
      tls: { enabled: false },
      reconcile: { interval_sec: 60 },
      dataplane: { enabled: true, confirm_first_sec: 120 },
      paths: { state: "/var/lib/portcullis", run: "/run/portcullis", lists: "/etc/portcullis/lists" },
      limits: {
        requests_per_minute: 3000,
        logins_per_minute: 10,
        body_bytes: 1_048_576,
        request_timeout_sec: 30,
        snapshots_kept: 200,
        audit_entries_kept: 100_000,
        event_streams: 32,
      },
    }));

  test("one file's values do not leak into the next file's defaults", () => {
    accepted("auth:\n  api_keys: [0123456789abcdef]\n");
    expect(accepted("").bootstrap.auth.api_keys).toEqual([]);
  });
});

test("bootstrap: values of the file apply, and are distinguished from defaults", () => {
  const { bootstrap, given } = accepted(
    "listen:\n  api_addr: '[::1]:0'\n  hosts: [Gateway.LAN]\nlog: {level: debug}\n",
  );
  expect(bootstrap.listen).toEqual({
    api_addr: "[::1]:0",
    hosts: ["gateway.lan"],
    unix_socket: "/run/portcullis/api.sock",
  });
  expect(bootstrap.log.level).toBe("debug");
  expect([...given].toSorted()).toEqual(["listen.api_addr", "listen.hosts", "log.level"]);
});

test("bootstrap file: a bare API key is an admin's and gets a name", () =>
  expect(
    accepted("auth:\n  api_keys:\n    - 0123456789abcdef\n    - {key: fedcba9876543210, role: viewer, name: wall}\n")
      .bootstrap.auth.api_keys,
  ).toEqual([
    { key: "0123456789abcdef", role: "admin", name: "bootstrap-1" },
    { key: "fedcba9876543210", role: "viewer", name: "wall" },
  ]));

test("bootstrap file: trust anchors are written with blanks or tabs, as in a zone file", () => {
  const anchors = [
    ". IN DS 20326 8 2 E06D44B8",
    ".\tIN\tDS\t20326 8 2 E06D44B8",
    "example. 3600 IN DNSKEY 257 3 13 mdsswUyr==",
  ];
  expect(accepted(`dns: {trust_anchors: ${JSON.stringify(anchors)}}`).bootstrap.dns.trust_anchors).toEqual(anchors);
  expect(mistakesIn("dns: {trust_anchors: [nonsense]}")).toHaveLength(1);
});

test("bootstrap file: relative paths count from the folder of the file", () => {
  const { paths, tls } = accepted("paths: {state: ../state}\ntls: {cert_file: a.crt, key_file: /b.key}").bootstrap;
  expect(paths).toEqual({ state: "/etc/state", run: "/run/portcullis", lists: "/etc/portcullis/lists" });
  expect(tls).toMatchObject({ cert_file: "/etc/portcullis/a.crt", key_file: "/b.key" });
});

test("bootstrap file: the file of `npm run dev` keeps to loopback, touches no engine and writes below .dev", () => {
  const root = join(import.meta.dirname, "../../..");
  const path = join(root, "scripts/dev.yaml");
  const parsed = parseBootstrap(readFileSync(path, "utf8"), path);
  expect(parsed).toMatchObject({
    kind: "ok",
    bootstrap: {
      listen: { api_addr: "127.0.0.1:8080" },
      dataplane: { enabled: false },
      paths: { state: join(root, ".dev/state"), run: join(root, ".dev/run") },
    },
  });
});

describe("bootstrap file: mistakes", () => {
  test("all of them are reported, each with its place, in order", () =>
    expect(
      mistakesIn("log:\n  level: loud\nlisten:\n  api_adr: 127.0.0.1:80\nreconcile:\n  interval_sec: 4\nlimits: 7\n"),
    ).toEqual([
      '2:10 log.level: must be one of debug, info, warn, error, not "loud"',
      "4:3 listen.api_adr: is not a known key; did you mean listen.api_addr?",
      "6:17 reconcile.interval_sec: must be a whole number from 5 to 86400, not 4",
      "7:9 limits: must be a map with keys such as requests_per_minute, logins_per_minute, body_bytes, request_timeout_sec, snapshots_kept, audit_entries_kept, event_streams, not 7",
    ]));

  test.each([
    ["log: {level: inof}", '1:14 log.level: must be one of debug, info, warn, error, not "inof"; did you mean info?'],
    ["lisen: {}", "1:1 lisen: is not a known key; did you mean listen?"],
    ["zzz: {}", "1:1 zzz: is not a known key"],
    ["wan_iface: eth0", "1:1 wan_iface: is not a known key; did you mean network.wan_iface?"],
    [
      "listen.api_addr: 1.2.3.4:5",
      '1:1 "listen.api_addr": is written on two lines: listen: and, indented below it, api_addr:',
    ],
    ["1: x", "1:1 1: is not a known key"],
    ["__proto__: {a: 1}", "1:1 __proto__: is not a known key"],
    ["listen: {__proto__: 1}", "1:10 listen.__proto__: is not a known key"],
    ['"\\e[2J": 1', '1:1 "\\u001b[2J": is not a known key'],
    [
      "listen:\n  hosts: gateway.lan",
      '2:10 listen.hosts: must be a list of at most 64, such as ["gateway.lan"], not "gateway.lan"',
    ],
    [
      "network:\n  wan_iface:\n",
      "2:3 network.wan_iface: must be an interface name of 1 to 15 characters without spaces, slashes, colons, stars or quotation marks, not nothing; leave the line out for the default",
    ],
    [
      "dhcp: {enabled: true}",
      "1:17 dhcp.enabled: must be false: other values are not supported yet, and would have no effect",
    ],
    [
      "network: {mode: portable}",
      "1:17 network.mode: must be primary: other values are not supported yet, and would have no effect",
    ],
    ["dhcp: {enabled: yes}", '1:17 dhcp.enabled: must be true or false, not "yes"'],
    ["reconcile: {interval_sec: 7.5}", "1:27 reconcile.interval_sec: must be a whole number from 5 to 86400, not 7.5"],
    ["tls: {cert_file: /a}", "1:7 tls.cert_file: needs tls.key_file as well"],
    ["tls: {key_file: /a}", "1:7 tls.key_file: needs tls.cert_file as well"],
    ["dns: {upstream_servers: [9.9.9.9, 9.9.9.9]}", "1:35 dns.upstream_servers[1]: is listed twice"],
    [
      "auth: {api_keys: [{role: admin}]}",
      "1:19 auth.api_keys[0]: has no key; it must be a key in quotes, or a map with key, role and name",
    ],
  ])("%j: %s", (text, mistake) => expect(mistakesIn(text)).toEqual([mistake]));

  test.each([
    [
      "listen",
      "api_addr",
      ["8080", ":8080", "127.0.0.1", "127.0.0.1:65536", "::1:8080", "[127.0.0.1]:80", "1.2:80", "a b:80"],
    ],
    ["listen", "hosts", [["a_b"], ["a..b"], ["gateway.lan:80"], ["10.0.0.1"], ["-a"], [""]]],
    ["network", "wan_iface", ["", "sixteen-letters-", "a/b", "a b", "eth0:1", ".", "..", "täp"]],
    ["dns", "upstream_servers", [["9.9.9"], ["dns.example"], ["9.9.9.9:53"], ["fe80::1%eth0"]]],
    ["auth", "local_net", ["10.0.0.0", "10.0.0.0/33", "10/8", "::/129", "10.0.0.0/8,::/0", "none", null]],
    ["paths", "state", ["", "~/state", "a\u0000b", 7]],
    ["limits", "body_bytes", [0, -1, 1e12, "1M", true]],
    [
      "auth",
      "api_keys",
      ["0123456789abcdef", [1234567890123456], ["short"], [["x"]], [{ key: "0123456789abcdef", role: "root" }]],
    ],
  ])("%s.%s refuses what it cannot mean, with one message", (section, key, values) => {
    const asYaml = (value: unknown) => JSON.stringify({ [section]: { [key]: value } });
    expect(values.filter((value) => mistakesIn(asYaml(value)).length !== 1)).toEqual([]);
  });

  test("a key or a name that two API keys share is refused", () => {
    const keys = "auth:\n  api_keys:\n    - 0123456789abcdef\n    - {key: 0123456789abcdef, name: bootstrap-1}\n";
    expect(mistakesIn(keys)).toEqual([
      "4:13 auth.api_keys[1].key: is the same key as auth.api_keys[0] has",
      "4:37 auth.api_keys[1].name: is the same name as auth.api_keys[0] has",
    ]);
  });

  test("no mistake repeats an API key", () => {
    const secret = "s3cr3t-s3cr3t-s3cr3t\u0001";
    const shapes = [secret, [secret], [{ key: secret }], [{ [secret]: "admin" }], [[secret]], { [secret]: 1 }];
    for (const api_keys of shapes)
      expect(mistakesIn(JSON.stringify({ auth: { api_keys } })).join("\n")).not.toContain("s3cr3t");
  });
});

describe("bootstrap file: text that is not the YAML we take", () => {
  test.each([
    ["a list at the top", "- listen\n", "1:1: must be a map with keys such as listen, log"],
    ["a word at the top", "hello", "1:1: must be a map with keys such as listen, log"],
    ["a tab", "log:\n\tlevel: info\n", "2:1: a tab is used for indentation, where YAML requires spaces"],
    ["an open bracket", "dns:\n  upstream_servers: [9.9.9.9\nlog: {}\n", "3:1: this is not YAML: "],
    ["an open quote", 'log:\n  level: "info\n', "3:1: this is not YAML: "],
    ["two documents", "log: {}\n---\nlog: {}\n", "2:1: a second document starts here; the file may contain one only"],
    ["a tag", "log: {level: !loud info}\n", "1:14: tags are not supported; write the plain value"],
    ["a key twice", "log:\n  level: info\n  level: warn\n", "3:3 log.level: is given twice, first on line 2"],
    ["a section twice", "log:\n  level: info\nlog:\n  level: warn\n", "3:1 log: is given twice, first on line 1"],
    ["a map as a key", "? {a: 1}\n: 2\n", "1:1: has a key that is not plain text"],
    ["an alias", "log: &l {level: info}\nlisten: *l\n", "2:9 listen: is an alias; write the value out"],
    ["an alias to nothing", "log: *l\n", "1:6 log: is an alias; write the value out"],
    ["an alias to itself", "log: &l\n  level: *l\n", "2:10 log.level: is an alias; write the value out"],
    ["lists in lists", `dns: {upstream_servers: ${"[".repeat(20)}${"]".repeat(20)}}`, "is nested too deeply"],
    ["brackets without end", "[".repeat(100_000), "1:"],
  ])("%s is one clear mistake", (_, text, mistake) => {
    const mistakes = mistakesIn(text);
    expect(mistakes.join("\n")).toContain(mistake);
  });

  test("a bomb of aliases costs nothing", repeatable, () => {
    const levels = Array.from({ length: 30 }, (_, n) => `k${n + 1}: &a${n + 1} [${`*a${n},`.repeat(20)}]`);
    const started = ownSec();
    expect(mistakesIn(`k0: &a0 [x]\n${levels.join("\n")}\n`)).toContain("2:10 k1[0]: is an alias; write the value out");
    expectWithin(2, { "check of nested aliases": ownSec() - started });
  });

  const fragment = fc.constantFrom(
    ..."listen: |log:|level|api_keys|auth:\n|  |\t|\n|- |[|]|{|}|: |, |&a |*a|!t |'|\"|#|---\n|%YAML 1.1\n|? |<<|~|1|\u0000|\u2028||>\n".split(
      "|",
    ),
    "|",
  );
  test("whatever is written, the answer is a bootstrap or sentences with places", () =>
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        const parsed = parseBootstrap(text, file);
        if (parsed.kind === "ok") return;
        expect(parsed.mistakes.length).toBeGreaterThan(0);
        for (const { line, column, message } of parsed.mistakes) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(text.split("\n").length);
          expect(column).toBeGreaterThanOrEqual(1);
          expect(message).not.toMatch(/\p{Cc}/u);
        }
      }),
      { numRuns: 2000 },
    ));
});

test.each([
  ["", "/run/portcullis/api.sock"],
  ["paths: {run: ./run}", "/etc/portcullis/run/api.sock"],
  ["{paths: {run: /tmp/run}, listen: {unix_socket: my.sock}}", "/etc/portcullis/my.sock"],
  ["listen: {unix_socket: ''}", ""],
])("bootstrap file: the Unix socket of %j is %j", (text, path) =>
  expect(accepted(text).bootstrap.listen.unix_socket).toBe(path),
);
