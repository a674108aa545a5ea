import { defaultAddress, defaultSocket } from "./address.ts";

/** What is true of every command. The manual page and the reference say it in the same words. */
export const usageDescription = [
  "A command is a kind of thing and what to do with it. Without a verb, a kind is listed or shown.",
  "Lists are printed as a table: a line of column names, then a line for each row, in aligned columns on a terminal and " +
    "separated by tabs otherwise. Everything else is printed as JSON. Control characters in values are written as escapes.",
  "Where a command takes JSON, it is an argument that starts with a brace or a bracket, the path of a file, " +
    "or standard input when it is absent or a dash.",
  "Where a command takes an id, it takes a name as well. Filters and other settings of a request are options, " +
    "such as --actor of audit.",
  "On the gateway itself, root needs no credential: the client uses the daemon's Unix socket. From elsewhere it sends an API " +
    'key, from PORTCULLIS_KEY, from the file PORTCULLIS_KEY_FILE names, or as "portcullis login" has stored it.',
] as const;

/** What a script can tell from the exit status. */
export const exitStatuses = [
  { status: 0, meaning: "Done." },
  { status: 1, meaning: "The gateway refused. Standard error has a code, a sentence and the details." },
  { status: 2, meaning: "The words, the JSON or GATEWAY_ADDR are wrong. Nothing was asked of the gateway." },
  { status: 3, meaning: "The gateway cannot be reached, or what answers is no gateway." },
  {
    status: 4,
    meaning: "health: the gateway answers, and it is degraded or has failed. Standard output says what and why.",
  },
] as const;

/** Variables the client reads. */
export const environment = [
  {
    name: "GATEWAY_ADDR",
    meaning: `Address of the gateway, or unix: and the path of its socket. When it is not set: unix:${defaultSocket} where that can be opened, else ${defaultAddress}.`,
  },
  { name: "PORTCULLIS_KEY", meaning: "API key to send." },
  { name: "PORTCULLIS_KEY_FILE", meaning: "File with the API key; only its owner may be able to read it." },
  {
    name: "PORTCULLIS_PIN",
    meaning:
      "Pin that the gateway's TLS key must have, as tls_pin of its status shows it. For programs, which cannot be asked.",
  },
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
  { meaning: "What one person changed", typed: ["portcullis audit --actor ada --since 2026-01-31T00:00:00Z"] },
  { meaning: "Back to an older state", typed: ["portcullis rollback 12"] },
  {
    meaning: "Another gateway",
    typed: ["export GATEWAY_ADDR=https://192.0.2.1:8080", "portcullis login", "portcullis status"],
  },
] as const;
