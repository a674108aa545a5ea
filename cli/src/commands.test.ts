import { api } from "@portcullis/contract/api";
import { operations, pathFields } from "@portcullis/contract/endpoint";
import { expect, test } from "vitest";
import { commandsOf, defaultOf, kindsOf, usage, verbsOf } from "./commands.ts";
import type { JsonSchema } from "./fields.ts";
import { localCommands } from "./local-commands.ts";
import { optionName, optionsOf } from "./options.ts";

const commands = commandsOf(api);
const named = (words: string) => commands.find((command) => command.words.join(" ") === words)!;

test("commands: every command is one or two plain words, and no two are the same", () => {
  const typed = commands.map(({ words }) => words.join(" "));
  for (const words of typed) expect(words).toMatch(/^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)?$/);
  expect(new Set(typed).size).toBe(typed.length);
});

test("commands: no kind takes a word of the client's own", () => {
  const own: string[] = localCommands.map(({ word }) => word);
  expect(kindsOf(commands).filter((kind) => own.includes(kind))).toEqual([]);
});

test.each(commands)("commands: what $words takes has a place in its endpoint", ({ args, endpoint }) => {
  const { properties = {} } = (endpoint.body ?? endpoint.query ?? {}) as JsonSchema;
  const inPath = pathFields(endpoint.path);
  expect(args).toEqual(expect.arrayContaining(inPath));
  for (const arg of args.filter((name) => !inPath.includes(name)))
    expect([(properties[arg] as { type?: string | string[] }).type].flat()).toContain("string");
});

test.each(commands.filter(({ rest }) => rest !== undefined))(
  "commands: what $words takes several of is a list of words in its endpoint's body",
  ({ endpoint, rest, json }) => {
    const { properties = {} } = endpoint.body as JsonSchema;
    expect(properties[rest!]).toMatchObject({ type: "array", minItems: 1, items: { type: "string" } });
    expect(json).toBe("never");
  },
);

test.each(commands.filter(({ endpoint }) => endpoint.cli?.columns))(
  "commands: the columns of $words are fields of what it lists",
  ({ endpoint }) => {
    const { items } = endpoint.result as JsonSchema;
    expect(Object.keys(items?.properties ?? {})).toEqual(expect.arrayContaining([...(endpoint.cli?.columns ?? [])]));
  },
);

test("commands: no field has the name of an option of the client, and none is in both query and body", () => {
  for (const command of commands) {
    const names = optionsOf(command).map(({ name }) => optionName(name));
    expect(names).toEqual([...new Set(names)]);
    expect(names.filter((name) => ["--json", "--follow", "--help"].includes(name))).toEqual([]);
  }
});

test("commands: what is joined is a path that can be read without saying more", () => {
  const readable = operations(api)
    .filter(({ endpoint }) => endpoint.method === "GET" && !endpoint.paged && pathFields(endpoint.path).length === 0)
    .map(({ endpoint }) => endpoint.path);
  const joined = commands.flatMap(({ endpoint }) => Object.values(endpoint.cli?.joins ?? {}));
  expect(readable).toEqual(expect.arrayContaining(joined));
});

test("commands: a body is read unless its fields are typed as arguments", () => {
  expect(named("devices list").json).toBe("never");
  expect(named("devices create").json).toBe("required");
  expect(named("devices update").json).toBe("required");
  expect(named("rollback").json).toBe("never");
});

test("commands: an endpoint that may be called without its body makes the JSON optional", () => {
  const [toggle] = commandsOf({ devices: { create: { ...api.devices.create, bodyOptional: true } } });
  expect(toggle?.json).toBe("optional");
  expect(usage(toggle!)).toBe("portcullis devices create [json|options]");
});

test("commands: kinds come in alphabetical order, verbs in the contract's", () => {
  expect(kindsOf(commands)).toEqual(kindsOf(commands).toSorted());
  expect(verbsOf(commands, "devices")).toEqual([
    "list",
    "get",
    "create",
    "update",
    "delete",
    "discovered",
    "discovery",
    "allow",
    "guest",
    "block",
    "link",
  ]);
});

test("commands: a kind alone is shown, or else listed", () => {
  expect(defaultOf(commands, "changes")).toBe(named("changes"));
  expect(defaultOf(commands, "devices")).toBe(named("devices list"));
  expect(defaultOf([named("devices get")], "devices")).toBeUndefined();
});

test.each([
  ["devices list", "portcullis devices [list] [options]"],
  ["devices update", "portcullis devices update <id> <json|options>"],
  ["rollback", "portcullis rollback <snapshot> [options]"],
  ["dns block", "portcullis dns block <domain>..."],
  ["privacy", "portcullis privacy [options]"],
  ["privacy force-dns", "portcullis privacy force-dns [json|options]"],
  ["privacy set-dns-mode", "portcullis privacy set-dns-mode <mode>"],
  ["leak-check", "portcullis leak-check [device_id]"],
  ["captive", "portcullis captive [json|options]"],
])("commands: %s is typed as %s", (words, typed) => expect(usage(named(words))).toBe(typed));
