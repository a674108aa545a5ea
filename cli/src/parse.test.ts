import { api } from "@portcullis/contract/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { commandsOf } from "./commands.ts";
import { Misuse } from "./failure.ts";
import { type Invocation, parseCommandLine } from "./parse.ts";

const commands = commandsOf(api);
const asked = (line: string) => parseCommandLine(line.split(" ").filter(Boolean), commands);

/** What was asked, or why it was not understood. */
function heard(words: readonly string[]): Invocation | Misuse {
  try {
    return parseCommandLine(words, commands);
  } catch (error) {
    if (error instanceof Misuse) return error;
    throw error;
  }
}

const id = fc.string({ minLength: 1 }).filter((word) => ![".", "..", "-h"].includes(word) && !word.startsWith("--"));

test("every command of the contract is found again by its words, with its arguments and its JSON", () =>
  fc.assert(
    fc.property(fc.constantFrom(...commands), fc.array(id, { minLength: 3, maxLength: 3 }), (command, values) => {
      const typed = values.slice(0, command.args.length);
      const several = command.rest === undefined ? [] : values;
      const json = command.json === "never" ? undefined : "{}";
      expect(
        parseCommandLine([...command.words, ...typed, ...several, ...(json === undefined ? [] : [json])], commands),
      ).toEqual({
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

test("any words at all are understood or refused with a sentence", () => {
  const known = commands.flatMap(({ words }) => words);
  const word = fc.oneof(fc.constantFrom(...known, "help", "completion", "man", "version", "-"), fc.string());
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), (words) => {
      expect(() => heard(words)).not.toThrow();
    }),
  );
});

test("a command that takes several words takes one at least", () => {
  expect(asked("dns block ads.example tracker.example")).toMatchObject({
    command: { words: ["dns", "block"] },
    args: { domains: ["ads.example", "tracker.example"] },
  });
  expect(() => asked("dns block")).toThrow("<domains> is missing");
});

test("an argument of a body that may be left out may be, too", () => {
  expect(asked("leak-check")).toMatchObject({ command: { words: ["leak-check"] }, args: {} });
  expect(asked("leak-check Phone")).toMatchObject({ command: { words: ["leak-check"] }, args: { device_id: "Phone" } });
  expect(() => asked("leak-check Phone Lamp")).toThrow("Nothing is expected");
});

test("a kind without a verb is listed", () => expect(asked("devices")).toEqual(asked("devices list")));

test("a kind with a command of its own needs no verb and may have others", () => {
  expect(asked("changes")).toMatchObject({ command: { words: ["changes"] } });
  expect(asked("changes confirm")).toMatchObject({ command: { words: ["changes", "confirm"] } });
  expect(asked("rollback 12")).toMatchObject({ command: { words: ["rollback"] }, args: { snapshot: "12" } });
});

test("help is there for whoever types nothing, asks for it, or asks in the middle", () => {
  expect(asked("")).toEqual({ kind: "help", about: undefined });
  expect(asked("help")).toEqual({ kind: "help", about: undefined });
  expect(asked("help devices")).toEqual({ kind: "help", about: "devices" });
  expect(asked("help devices create")).toEqual({ kind: "help", about: "devices", verb: "create" });
  expect(asked("devices create --help")).toEqual({ kind: "help", about: "devices", verb: "create" });
  expect(asked("devices --help")).toEqual({ kind: "help", about: "devices" });
  expect(() => asked("help devices creat")).toThrow('"creat" is not a verb of devices; did you mean "create"?');
  expect(asked("-h")).toEqual({ kind: "help", about: undefined });
});

test("options are fields of the query, in either spelling, anywhere after the words of the command", () => {
  const filters = { actor: "ada", resource_type: "device" };
  for (const line of ["audit --actor ada --resource-type device", "audit list --actor=ada --resource_type=device"])
    expect(asked(line)).toMatchObject({ command: { words: ["audit", "list"] }, options: filters, args: {} });
  expect(asked("rollback 12 --confirm-within 60")).toMatchObject({
    args: { snapshot: "12" },
    options: { confirm_within: "60" },
  });
  expect(asked("rollback --confirm-within 60 12")).toEqual(asked("rollback 12 --confirm-within 60"));
  expect(asked("dns log --client TV --after 5")).toMatchObject({ options: { client: "TV", after: "5" } });
  expect(asked("devices get -- --actor")).toMatchObject({ args: { id: "--actor" }, options: {} });
});

test.each([
  ["audit --acotr ada", "--acotr is not an option of this command; did you mean --actor?"],
  ["status --actor ada", "--actor is not an option of this command"],
  ["devices --cursor x", "--cursor is not an option of this command"],
  ["audit --actor", "--actor has no value"],
  ["audit --actor a --actor=b", "--actor is given twice"],
])("%s is refused: %s", (line, sentence) => expect(() => asked(line)).toThrow(sentence));

test.each([
  [["tunnels", "create"], "POST /api/v1/tunnels (Create a tunnel)"],
  [["auth"], "POST /api/v1/auth/login ("],
  [["apply"], "is not a command"],
])("%j is not here, and the API's operation is told", (words, told) =>
  expect(`${(heard(words) as Misuse).message} ${(heard(words) as Misuse).usage}`).toContain(told),
);

test("the client's own words are understood", () => {
  expect(asked("version")).toEqual({ kind: "version" });
  expect(asked("--version")).toEqual({ kind: "version" });
  expect(asked("man")).toEqual({ kind: "man" });
  expect(asked("completion fish")).toEqual({ kind: "completion", shell: "fish" });
});

test.each([
  [["devcies"], '"devcies" is not a command; did you mean "devices"?'],
  [["devices", "lst"], '"lst" is not a verb of devices; did you mean "list"?'],
  [["help", "device"], '"device" is not a command; did you mean "devices"?'],
  [["completion", "bahs"], '"bahs" is not a shell; did you mean "bash"?'],
])("%j gets the nearest word suggested", (words, sentence) =>
  expect(heard(words)).toMatchObject({ message: sentence }),
);

test("where nothing is near, all that is known is told", () => {
  expect(heard(["changes", "zebra"])).toMatchObject({
    message: '"zebra" is not a verb of changes',
    usage: "Known: confirm, revert",
  });
  expect(heard(["status", "zebra"])).toMatchObject({ usage: "It has none" });
});

test.each([
  [["devices", "get"], "<id> is missing"],
  [["devices", "update"], "<id> is missing"],
  [["rollback"], "<snapshot> is missing"],
  [["devices", "get", "a", "b"], 'Nothing is expected where "b" stands'],
  [["devices", "create", "{}", "more"], 'Nothing is expected where "more" stands'],
  [["devices", "list", "more"], 'Nothing is expected where "more" stands'],
  [["version", "more"], 'Nothing is expected where "more" stands'],
  [["completion"], "Completion for which shell?"],
])("%j is refused", (words, sentence) => expect(heard(words)).toMatchObject({ message: sentence }));

test("an id that would climb out of its path is refused", () => {
  for (const climber of ["", ".", ".."])
    expect(heard(["devices", "delete", climber])).toMatchObject({
      message: `<id> cannot be ${JSON.stringify(climber)}`,
    });
});

test("a kind that has nothing to do without a verb asks for one", () => {
  const onlyVerbs = commandsOf({ changes: { confirm: api.changes.confirm, revert: api.changes.revert } });
  expect(() => parseCommandLine(["changes"], onlyVerbs)).toThrow("A verb is missing");
});
