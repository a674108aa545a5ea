import { api } from "@portcullis/contract/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { commandsOf } from "./commands.ts";
import { Misuse } from "./failure.ts";
import { type Invocation, parseCommandLine } from "./parse.ts";

const commands = commandsOf(api);
const parse = (line: string) => parseCommandLine(line.split(" ").filter(Boolean), commands);

/** The parsed command line, or its error. */
function parseOrMisuse(words: readonly string[]): Invocation | Misuse {
  try {
    return parseCommandLine(words, commands);
  } catch (error) {
    if (error instanceof Misuse) return error;
    throw error;
  }
}

const most = Math.max(3, ...commands.map(({ args }) => args.length));
const id = fc.string({ minLength: 1 }).filter((word) => ![".", "..", "-h"].includes(word) && !word.startsWith("--"));

test("command line: every command of the contract is found again by its words, with its arguments and its JSON", () =>
  fc.assert(
    fc.property(fc.constantFrom(...commands), fc.array(id, { minLength: most, maxLength: most }), (command, values) => {
      const typed = values.slice(0, command.args.length);
      const several = command.rest === undefined ? [] : values;
      const json = command.json === "never" ? undefined : "{}";
      const words = [...command.words, ...typed, ...several, ...(json === undefined ? [] : [json])];
      expect(parseCommandLine(words, commands)).toEqual({
        kind: "call",
        command,
        args: {
          ...Object.fromEntries(command.args.map((arg, at) => [arg, typed[at]])),
          ...(command.rest !== undefined && { [command.rest]: values }),
        },
        options: {},
        json,
      });
    }),
  ));

test("command line: an option can have another name than its field, and a needed one is missed", () => {
  expect(parse("capture start --iface lan0 --filter udp --count 5")).toMatchObject({
    json: undefined,
    fields: { interface: "lan0", filter: "udp", count: 5 },
  });
  expect(() => parse("capture start --filter udp")).toThrow("--iface is missing");
  expect(() => parse("capture start --iface lan0 --count ten")).toThrow("--count");
  expect(() => parse("capture start --interface lan0")).toThrow("is not an option");
});

test("command line: any words at all are understood or refused with a sentence", () => {
  const known = commands.flatMap(({ words }) => words);
  const word = fc.oneof(fc.constantFrom(...known, "help", "completion", "man", "version", "-"), fc.string());
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), (words) => {
      expect(() => parseOrMisuse(words)).not.toThrow();
    }),
  );
});

test("command line: a command that takes several words takes one at least", () => {
  expect(parse("dns block ads.example tracker.example")).toMatchObject({
    command: { words: ["dns", "block"] },
    args: { domains: ["ads.example", "tracker.example"] },
  });
  expect(() => parse("dns block")).toThrow("<domains> is missing");
});

test("command line: an argument of a body that may be left out may be, too", () => {
  expect(parse("leak-check")).toMatchObject({ command: { words: ["leak-check"] }, args: {} });
  expect(parse("leak-check Phone")).toMatchObject({ command: { words: ["leak-check"] }, args: { device_id: "Phone" } });
  expect(() => parse("leak-check Phone Lamp")).toThrow("Unexpected argument");
});

test("command line: an argument for an optional field of a body may be absent, one for a required field may not", () => {
  const set = { words: ["services", "set"] };
  expect(parse("services set tiktok block")).toMatchObject({ command: set, args: { id: "tiktok", action: "block" } });
  expect(parse("services set tiktok block device TV")).toMatchObject({ args: { source_value: "TV" } });
  expect(() => parse("services set tiktok")).toThrow("<action> is missing");
});

test("command line: a kind without a verb is listed", () => expect(parse("devices")).toEqual(parse("devices list")));

test("command line: a kind with a command of its own needs no verb and may have others", () => {
  expect(parse("changes")).toMatchObject({ command: { words: ["changes"] } });
  expect(parse("changes confirm")).toMatchObject({ command: { words: ["changes", "confirm"] } });
  expect(parse("rollback 12")).toMatchObject({ command: { words: ["rollback"] }, args: { snapshot: "12" } });
});

test("command line: help is shown without arguments, on help, and on --help after a command", () => {
  expect(parse("")).toEqual({ kind: "help", about: undefined });
  expect(parse("help")).toEqual({ kind: "help", about: undefined });
  expect(parse("help devices")).toEqual({ kind: "help", about: "devices" });
  expect(parse("help devices create")).toEqual({ kind: "help", about: "devices", verb: "create" });
  expect(parse("devices create --help")).toEqual({ kind: "help", about: "devices", verb: "create" });
  expect(parse("devices --help")).toEqual({ kind: "help", about: "devices" });
  expect(() => parse("help devices creat")).toThrow('"creat" is not a verb of devices; did you mean "create"?');
  expect(parse("-h")).toEqual({ kind: "help", about: undefined });
});

test("command line: options are fields of the query, in either spelling, anywhere after the words of the command", () => {
  const filters = { actor: "ada", resource_type: "device" };
  for (const line of ["audit --actor ada --resource-type device", "audit list --actor=ada --resource_type=device"])
    expect(parse(line)).toMatchObject({ command: { words: ["audit", "list"] }, options: filters, args: {} });
  expect(parse("rollback 12 --confirm-within 60")).toMatchObject({
    args: { snapshot: "12" },
    options: { confirm_within: "60" },
  });
  expect(parse("rollback --confirm-within 60 12")).toEqual(parse("rollback 12 --confirm-within 60"));
  expect(parse("dns log --client TV --after 5")).toMatchObject({ options: { client: "TV", after: "5" } });
  expect(parse("devices get -- --actor")).toMatchObject({ args: { id: "--actor" }, options: {} });
});

test.each([
  ["audit --acotr ada", "--acotr is not an option of this command; did you mean --actor?"],
  ["status --actor ada", "--actor is not an option of this command"],
  ["devices --cursor x", "--cursor is not an option of this command"],
  ["audit --actor", "--actor has no value"],
  ["audit --actor a --actor=b", "--actor is given twice"],
])("command line: %s is refused: %s", (line, sentence) => expect(() => parse(line)).toThrow(sentence));

test.each([
  [["tunnels", "create"], "POST /api/v1/tunnels (Create a tunnel)"],
  [["auth"], "POST /api/v1/auth/login ("],
  [["publish"], "is not a command"],
])("command line: %j is no command, and the error names the operation of the API", (words, operation) =>
  expect(`${(parseOrMisuse(words) as Misuse).message} ${(parseOrMisuse(words) as Misuse).usage}`).toContain(operation),
);

test("command line: the client's own words are understood", () => {
  expect(parse("version")).toEqual({ kind: "version" });
  expect(parse("--version")).toEqual({ kind: "version" });
  expect(parse("man")).toEqual({ kind: "man" });
  expect(parse("completion fish")).toEqual({ kind: "completion", shell: "fish" });
});

test.each([
  [["devcies"], '"devcies" is not a command; did you mean "devices"?'],
  [["devices", "lst"], '"lst" is not a verb of devices; did you mean "list"?'],
  [["help", "device"], '"device" is not a command; did you mean "devices"?'],
  [["completion", "bahs"], '"bahs" is not a shell; did you mean "bash"?'],
])("command line: %j gets the nearest word suggested", (words, sentence) =>
  expect(parseOrMisuse(words)).toMatchObject({ message: sentence }),
);

test("command line: without a similar word the error lists all known ones", () => {
  expect(parseOrMisuse(["changes", "zebra"])).toMatchObject({
    message: '"zebra" is not a verb of changes',
    usage: "Known: confirm, revert",
  });
  expect(parseOrMisuse(["status", "zebra"])).toMatchObject({ usage: "It has no verbs" });
});

test.each([
  [["devices", "get"], "<id> is missing"],
  [["devices", "update"], "<id> is missing"],
  [["rollback"], "<snapshot> is missing"],
  [["devices", "get", "a", "b"], 'Unexpected argument "b"'],
  [["devices", "create", "{}", "more"], 'Unexpected argument "more"'],
  [["devices", "list", "more"], 'Unexpected argument "more"'],
  [["version", "more"], 'Unexpected argument "more"'],
  [["completion"], "Completion for which shell?"],
])("command line: %j is refused", (words, sentence) =>
  expect(parseOrMisuse(words)).toMatchObject({ message: sentence }),
);

test("command line: an id that would climb out of its path is refused", () => {
  for (const climber of ["", ".", ".."])
    expect(parseOrMisuse(["devices", "delete", climber])).toMatchObject({
      message: `<id> cannot be ${JSON.stringify(climber)}`,
    });
});

test("command line: a kind without a default command requires a verb", () => {
  const onlyVerbs = commandsOf({ changes: { confirm: api.changes.confirm, revert: api.changes.revert } });
  expect(() => parseCommandLine(["changes"], onlyVerbs)).toThrow("A verb is missing");
});
