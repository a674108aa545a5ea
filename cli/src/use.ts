/** What is true of every command. The manual page and the reference say it in the same words. */
export const describeUse = [
  "A command is a kind of thing and what to do with it. Without a verb, a kind is listed or shown.",
  "Lists are printed as a table: a line of column names, then a line for each row, parted by tabs. " +
    "Everything else is printed as JSON. Control characters in values are written as escapes.",
  "Where a command takes JSON, it is an argument that starts with a brace or a bracket, the path of a file, " +
    "or standard input when it is absent or a dash.",
  "The client carries no credential. Where the gateway asks for one, the client can only read, " +
    "and only from the network that auth.local_net trusts.",
] as const;

/** What a script can tell from the exit status. */
export const exitStatuses = [
  { status: 0, meaning: "Done." },
  { status: 1, meaning: "The gateway refused. Standard error has a code, a sentence and the details." },
  { status: 2, meaning: "The words, the JSON or GATEWAY_ADDR are wrong. Nothing was asked of the gateway." },
  { status: 3, meaning: "The gateway cannot be reached, or what answers is no gateway." },
] as const;

export const examples = [
  { meaning: "Names of all devices", typed: ["portcullis devices | tail -n +2 | cut -f 2"] },
  {
    meaning: "A device from an argument, a file and a pipe",
    typed: [
      `portcullis devices create '{"name": "printer"}'`,
      "portcullis devices create printer.json",
      "jq .printer all.json | portcullis devices create",
    ],
  },
  { meaning: "Back to an older state", typed: ["portcullis rollback 12"] },
  { meaning: "Another gateway", typed: ["GATEWAY_ADDR=http://192.0.2.1:8080 portcullis status"] },
] as const;
