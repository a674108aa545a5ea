import { api } from "@portcullis/contract/api";
import { expect, test } from "vitest";
import { commandsOf } from "./commands.ts";
import { optionsOf, takeOptions, withTimes } from "./options.ts";
import { typedValue } from "./typed-value.ts";

const commands = commandsOf(api);
const named = (words: string) => commands.find((command) => command.words.join(" ") === words)!;
const fieldsOf = (words: string, ...typed: string[]) => takeOptions(typed, named(words), "usage").fields;

test.each([
  ["devices create", ["--name", "TV", "--mac=02:00:00:00:00:01"], { name: "TV", mac: "02:00:00:00:00:01" }],
  ["devices create", ["--ips", "192.0.2.1", "--ips", "192.0.2.2"], { ips: ["192.0.2.1", "192.0.2.2"] }],
  ["devices create", ["--ips", "[]"], { ips: [] }],
  ["devices update", ["--hostname", "null"], { hostname: null }],
  ["devices update", ["--force-dns"], { force_dns: true }],
  ["devices update", ["--force-dns", "no", "--block-doh", "null"], { force_dns: false, block_doh: null }],
  ["policies create", ["--priority", "7"], { priority: 7 }],
  ["policies create", ["--hops", "type=vpn,target=Kitchen TV"], { hops: [{ type: "vpn", target: "Kitchen TV" }] }],
  [
    "policies create",
    ["--hops", '{"type":"vpn","target":"a"}', "--hops", "type=proxy,target=b"],
    {
      hops: [
        { type: "vpn", target: "a" },
        { type: "proxy", target: "b" },
      ],
    },
  ],
  ["evaluate", ["--hops-up.Amsterdam", "false", "--hops-up.Oslo"], { hops_up: { Amsterdam: false, Oslo: true } }],
  ["secrets create", ["--name", "x"], { name: "x" }],
] as const)("options: %s %j is the body %j", (words, typed, fields) =>
  expect(fieldsOf(words, ...typed)).toEqual(fields),
);

test.each([
  ["devices create", ["--nmae", "TV"], "--nmae is not an option of this command; did you mean --name?"],
  [
    "devices create",
    ["--state", "knwon"],
    '--state is "knwon"; it must be known, new or quarantined; did you mean known?',
  ],
  ["devices create", ["--mac", "TV"], '--mac is "TV"; it must be '],
  ["devices create", ["--name", "a", "--name", "b"], "--name is given twice"],
  ["devices create", ["--name"], "--name has no value"],
  ["policies create", ["--priority", "7.5"], '--priority is "7.5"; it must be integer (0 to 1000000)'],
  ["policies create", ["--enabled=maybe"], '--enabled is "maybe"; it must be true or false'],
  ["policies create", ["--hops", "Amsterdam"], "it must be a JSON object, or type=…,target=…"],
  [
    "policies create",
    ["--hops", "type=vnp,target=x"],
    "type must be vpn, interface, proxy or mesh_peer; did you mean vpn?",
  ],
  ["devices create", ["--name.first", "x"], "--name.first is not a field of name"],
  ["devices create", ["--profile-id", "x"], "--profile-id is not an option of this command"],
  ["devices list", ["--state", "old"], '--state is "old"; it must be known, new or quarantined'],
  ["devices list", ["--follow"], "--follow is not an option of this command"],
] as const)("options: %s %j is refused: %s", (words, typed, sentence) =>
  expect(() => fieldsOf(words, ...typed)).toThrow(sentence),
);

test("options: --json and --follow are the client's own, and words after -- are no options", () => {
  expect(takeOptions(["--json", "--follow", "--", "--json"], named("audit list"), "")).toMatchObject({
    json: true,
    follow: true,
    words: ["--json"],
  });
});

test("options: a boolean of a query is sent as true or false, whatever word was typed", () => {
  const queryOf = (...typed: string[]) => takeOptions(typed, named("devices discovered"), "usage").query;
  expect(queryOf("--known", "yes", "--online=off")).toEqual({ known: "true", online: "false" });
  expect(queryOf("--known", "--online", "true", "--limit", "5")).toEqual({ known: "true", online: "true", limit: "5" });
});

test("options: only times take a span, which is what has passed since", () => {
  const now = new Date("2026-10-01T12:00:00Z");
  expect(withTimes(named("audit list"), { since: "90m", actor: "2h" }, now)).toEqual({
    since: "2026-10-01T10:30:00.000Z",
    actor: "2h",
  });
});

test.each(commands)("options: any word for an option of $words is a value or a mistake in words", (command) => {
  for (const { schema } of optionsOf(command))
    for (const word of ["", "x", "7", "true", "null", "[]", "{}", "a=b"]) {
      const typed = typedValue(schema, word);
      expect(typed.kind === "value" || typed.mistake.length > 0).toBe(true);
    }
});
