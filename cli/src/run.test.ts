import { api } from "@portcullis/contract/api";
import type { Answer, Request } from "@portcullis/contract/client";
import { envelope, Problem } from "@portcullis/contract/problem";
import { expect, test } from "vitest";
import { Unreachable } from "./failure.ts";
import { run, type Environment } from "./run.ts";

/** A gateway with fixed responses by method and URL that records its requests. */
function gateway(answers: Record<string, (() => never) | Partial<Answer>>) {
  const requests: Request[] = [];
  const world: Environment = {
    send: async (request) => {
      requests.push(request);
      const known = answers[`${request.method} ${request.url}`];
      if (typeof known === "function") return known();
      return { status: 200, header: () => null, body: {}, ...(known ?? refused(new Problem("not_found"))) };
    },
    follow: () => Promise.reject(new Error("nothing is followed here")),
    receive: () => Promise.reject(new Error("nothing is received here")),
    printBytes: () => {},
    print: () => {},
    now: () => new Date("2026-10-01T12:00:00Z"),
    waitForNext: () => Promise.reject(new Error("no list is followed")),
    login: async () => "logged in\n",
    logout: () => "logged out\n",
    setup: async ({ wan }) => ({ out: `set up with ${wan}\n` }),
    isFile: (path) => path === "device.json",
    readFile: async () => Buffer.from('{"name":"from a file"}'),
    readStdin: async () => Buffer.from('{"name":"from a pipe"}'),
  };
  return { requests, world };
}

const refused = (problem: Problem): Partial<Answer> => ({ status: problem.status, body: envelope(problem) });
const link = (url: string) => (name: string) => (name === "link" ? `<${url}>; rel="next"` : null);

test("CLI: a list is followed to its last page and printed as one table", async () => {
  const { world, requests } = gateway({
    "GET /snapshots?limit=1000": { body: [{ id: "2" }], header: link("/api/v1/snapshots?limit=1000&cursor=b") },
    "GET /snapshots?limit=1000&cursor=b": { body: [{ id: "1", pinned: true }] },
  });
  const { out } = await run(["snapshots"], world);
  expect(out.split("\n").map((line) => line.split("\t")[0])).toEqual(["id", "2", "1", ""]);
  expect(requests).toHaveLength(2);
});

test("CLI: a list with a limit is its first page, and its filters are sent", async () => {
  const { world, requests } = gateway({ "GET /audit?actor=ada&limit=2": { body: [{ actor: "ada" }] } });
  const { out } = await run(["audit", "--actor", "ada", "--limit", "2"], world);
  expect(out).toContain("ada");
  expect(requests).toHaveLength(1);
});

test("CLI: a table is aligned where a person reads it", async () => {
  const { world } = gateway({ "GET /settings": { body: [{ key: "log.level", value: "info" }] } });
  const { out } = await run(["settings"], { ...world, screen: { columns: 80, colors: false } });
  expect(out).toBe("KEY        VALUE\nlog.level  info\n");
});

test("CLI: with --json a list is JSON, on a terminal too", async () => {
  const { world } = gateway({ "GET /settings": { body: [{ key: "log.level", value: "info" }] } });
  for (const screen of [undefined, { columns: 80, colors: true }])
    expect(JSON.parse((await run(["settings", "--json"], { ...world, ...(screen && { screen }) })).out)).toEqual([
      { key: "log.level", value: "info" },
    ]);
});

test("CLI: options are the body, without JSON; with JSON they replace its fields", async () => {
  const { world, requests } = gateway({});
  await run(["devices", "create", "--name", "TV", "--ips", "192.0.2.1", "--ips", "192.0.2.2", "--force-dns"], world);
  await run(["devices", "create", "device.json", "--mac", "null"], world);
  await run(["keys", "create", "--role", "metrics", "prometheus"], world);
  expect(requests.map(({ body }) => JSON.parse(body!))).toEqual([
    { name: "TV", ips: ["192.0.2.1", "192.0.2.2"], force_dns: true },
    { name: "from a file", mac: null },
    { name: "prometheus", role: "metrics" },
  ]);
});

test.each([
  [
    ["audit", "--follow", "--actor", "ada"],
    "timestamp\tactor\taction\tresource_type\tresource_name\tresource_id\n\tada\tone\t\t\t\n\tada\ttwo\t\t\t\n",
  ],
  [
    ["audit", "--follow", "--actor", "ada", "--json"],
    '{"id":1,"actor":"ada","action":"one"}\n{"id":2,"actor":"ada","action":"two"}\n',
  ],
])("CLI: %j prints each entry once, as it comes, until the gateway is gone", async (words, expected) => {
  const one = { id: 1, actor: "ada", action: "one" };
  const two = { id: 2, actor: "ada", action: "two" };
  const { world } = gateway({
    "GET /audit?actor=ada&limit=20": { body: [one] },
    "GET /audit?actor=ada&limit=50": { body: [two, one] },
  });
  let printed = "";
  let waits = 0;
  const { complaint } = await run(words, {
    ...world,
    print: (text) => void (printed += text),
    waitForNext: async () => {
      if (++waits === 3) throw new Unreachable("gone");
    },
  });
  expect(printed).toBe(expected);
  expect(complaint?.status).toBe(3);
});

test.each([
  [[{ id: 8 }, { id: 9 }], "9"],
  [[], "7"],
] as const)("CLI: a log that is followed after an entry is printed oldest first: %j", async (page, last) => {
  const { world } = gateway({
    "GET /dns/log?after=7&limit=20": { body: page },
    [`GET /dns/log?after=${last}&limit=1000`]: { body: [{ id: 10 }, { id: 11 }] },
  });
  let printed = "";
  let waits = 0;
  await run(["dns", "log", "--follow", "--after", "7", "--json"], {
    ...world,
    print: (text) => void (printed += text),
    waitForNext: async () => {
      if (++waits === 2) throw new Unreachable("gone");
    },
  });
  expect(printed).toBe([...page.map(({ id }) => id), 10, 11].map((id) => `{"id":${id}}\n`).join(""));
});

test("CLI: a time of a filter may be a span", async () => {
  const { world, requests } = gateway({});
  await run(["audit", "--since", "2h", "--limit", "5"], world);
  expect(requests[0]?.url).toBe("/audit?since=2026-10-01T10%3A00%3A00.000Z&limit=5");
});

test("CLI: a list without pages is requested once", async () => {
  const { world } = gateway({ "GET /settings": { body: [{ key: "log.level", value: "info" }] } });
  expect((await run(["settings"], world)).out).toBe("key\tvalue\tsource\twritable\nlog.level\tinfo\t\t\n");
});

test("CLI: a single thing is printed as JSON", async () => {
  const { world } = gateway({ "GET /devices/7": { body: { id: "7", name: "printer" } } });
  expect(await run(["devices", "get", "7"], world)).toEqual({ out: '{\n  "id": "7",\n  "name": "printer"\n}\n' });
});

test.each([
  [["devices", "create", '{"name":"typed"}'], "POST", "/devices", { name: "typed" }],
  [["devices", "create", "device.json"], "POST", "/devices", { name: "from a file" }],
  [["devices", "create"], "POST", "/devices", { name: "from a pipe" }],
  [["devices", "update", "7", "-"], "PUT", "/devices/7", { name: "from a pipe" }],
  [["rollback", "12"], "POST", "/rollback", { snapshot: "12" }],
])("CLI: %j sends its body", async (words, method, url, body) => {
  const { world, requests } = gateway({});
  await run(words, world);
  expect(requests).toEqual([{ method, url, body: JSON.stringify(body) }]);
});

test.each([
  ["changes", 2],
  ["unchanged", undefined],
])("CLI: validate prints the plan of a document in YAML; with %s it ends with status %s", async (result, status) => {
  const { world, requests } = gateway({ "POST /validate?prune=true": { body: { result } } });
  const text = "devices:\n  - name: TV\n";
  const reading = { ...world, isFile: () => true, readFile: async () => Buffer.from(text) };
  const { out, complaint } = await run(["validate", "home.yaml", "--prune", "true"], reading);
  expect([JSON.parse(out), complaint?.status]).toEqual([{ result }, status]);
  expect(requests).toEqual([{ method: "POST", url: "/validate?prune=true", body: text, type: "application/yaml" }]);
});

test("CLI: a document in JSON is sent as JSON", async () => {
  const { world, requests } = gateway({ "POST /apply": { body: { result: "unchanged" } } });
  await run(["apply", "-"], world);
  expect(requests).toEqual([{ method: "POST", url: "/apply", body: '{"name":"from a pipe"}' }]);
});

test("CLI: health shows the components the observer sees", async () => {
  const components = [{ name: "dns", status: "ok", message: "" }];
  const { world } = gateway({
    "GET /health": { body: { status: "ok" } },
    "GET /observer": { body: { status: "ok", components } },
  });
  const { out, complaint } = await run(["health"], world);
  expect([JSON.parse(out), complaint]).toEqual([{ status: "ok", components }, undefined]);
});

test.each(["degraded", "failed"])(
  "CLI: health of a gateway that is %s prints the components and ends with status 4",
  async (status) => {
    const components = [{ name: "egress", status, message: "No device has Internet access" }];
    const { world } = gateway({
      "GET /health": { body: { status } },
      "GET /observer": { body: { status, components } },
    });
    const { out, complaint } = await run(["health"], world);
    expect(JSON.parse(out)).toEqual({ status, components });
    expect(complaint).toEqual({ text: `health: ${status}\n`, status: 4 });
  },
);

test.each([
  ["a refusal", refused(new Problem("unauthorized")), "unauthorized"],
  [
    "a broken line",
    () => {
      throw new Unreachable("gone");
    },
    "unreachable",
  ],
])("CLI: health is shown although the observer gives %s", async (_, answer, code) => {
  const { world } = gateway({ "GET /health": { body: { status: "ok" } }, "GET /observer": answer });
  const { out, complaint } = await run(["health"], world);
  expect(JSON.parse(out)).toMatchObject({ status: "ok", components: { error: { code } } });
  expect(complaint).toBeUndefined();
});

test("CLI: version prints both versions", async () => {
  const { world } = gateway({ "GET /status": { body: { version: "9.9.9", build: "commit abc" } } });
  expect(JSON.parse((await run(["version"], world)).out)).toMatchObject({ daemon: "9.9.9", build: "commit abc" });
});

test("CLI: version prints the version of the client and an error if no daemon answers", async () => {
  const { world } = gateway({});
  const { out, complaint } = await run(["version"], world);
  expect(JSON.parse(out)).toEqual({ client: expect.any(String), daemon: null });
  expect(complaint?.status).toBe(1);
});

test("CLI: a refusal prints nothing but the complaint", async () => {
  const { world } = gateway({ "DELETE /devices/7": refused(new Problem("in_use", { referenced_by: { policy: 2 } })) });
  expect(await run(["devices", "delete", "7"], world)).toEqual({
    out: "",
    complaint: {
      status: 1,
      text: "in_use: Other resources still refer to this one\n  referenced_by: policy: 2\n",
    },
  });
});

test("CLI: JSON that does not parse never reaches the gateway", async () => {
  const { world, requests } = gateway({});
  const { complaint } = await run(["devices", "create", "{name}"], world);
  expect(complaint).toMatchObject({ status: 2, text: expect.stringMatching(/^usage: The argument is not JSON: /) });
  expect(requests).toEqual([]);
});

test("CLI: something else than a list is not taken for one", async () => {
  const { world } = gateway({ "GET /settings": { body: { hello: "world" } } });
  expect((await run(["settings"], world)).complaint?.status).toBe(3);
});

test.each(["help", "man", "completion bash", "completion zsh", "completion fish", ...Object.keys(api.devices)])(
  "CLI: %s sends no unnecessary request",
  async (line) => {
    const { world, requests } = gateway({});
    const { out } = await run([...line.split(" "), ...(line in api.devices ? ["--help"] : [])], world);
    expect(out).toContain("portcullis");
    expect(requests).toEqual([]);
  },
);

test("CLI: login and logout are the client's own", async () => {
  const { world, requests } = gateway({});
  expect([(await run(["login"], world)).out, (await run(["logout"], world)).out]).toEqual([
    "logged in\n",
    "logged out\n",
  ]);
  expect(requests).toEqual([]);
});

test("CLI: a file is written to standard output in its parts, and not to a terminal", async () => {
  const { world } = gateway({});
  const parts: Uint8Array[] = [];
  const receiving: Environment = {
    ...world,
    receive: async ({ url, accept }, onChunk) => {
      for (const part of [url, accept ?? ""]) await onChunk(Buffer.from(part));
      return { status: 200, body: undefined, header: () => null };
    },
    printBytes: (bytes) => void parts.push(bytes),
  };
  expect(await run(["capture", "download", "7"], receiving)).toEqual({ out: "" });
  expect(parts.map(String)).toEqual(["/diagnostics/capture/7/download", "application/x-pcapng"]);
  for (const more of [[], ["--json"]]) {
    const atTerminal = { ...receiving, screen: { columns: 80, colors: true } };
    const { complaint } = await run(["capture", "download", "7", ...more], atTerminal);
    expect(complaint?.text).toContain("send it to one");
  }
  expect(parts).toHaveLength(2);
});

test("CLI: the packets of a capture are printed as lines of JSON, and the end of the stream is no failure", async () => {
  const { world } = gateway({});
  const lines: string[] = [];
  const following: Environment = {
    ...world,
    follow: async (_, onMessage) => {
      for (const message of [{ kind: "packet" }, { kind: "end" }]) onMessage(message);
      return { status: 200, body: undefined, header: () => null };
    },
    print: (text) => void lines.push(text),
    screen: { columns: 80, colors: true },
  };
  expect(await run(["capture", "stream", "7"], following)).toEqual({ out: "" });
  expect(lines).toEqual(['{"kind":"packet"}\n', '{"kind":"end"}\n']);
});
