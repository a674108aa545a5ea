import { defaultAddress, defaultSocket } from "./address.ts";

/** General usage, for the manual page and the reference. */
export const usageDescription = [
  "A command consists of a kind and a verb. Without a verb, the client lists or shows the kind.",
  "Lists are printed as a table: a line of column names, then a line for each row, in aligned columns on a terminal and " +
    "separated by tabs otherwise. All other results are printed as JSON. Control characters in values are escaped.",
  "The JSON of a command is an argument that starts with a brace or a bracket, the path of a file, " +
    "or standard input if it is absent or a dash. apply, validate and backup import also take YAML, as a file or from standard input.",
  "An argument that takes an id also takes a name. Filters and other query parameters are options, " +
    "such as --actor of audit.",
  "On the gateway itself, root needs no credential: the client uses the daemon's Unix socket. From other machines it sends an " +
    'API key, from PORTCULLIS_KEY, from the file in PORTCULLIS_KEY_FILE, or the one that "portcullis login" stored.',
] as const;

/** Exit statuses, for scripts. */
export const exitStatuses = [
  { status: 0, meaning: "Done." },
  { status: 1, meaning: "The gateway refused the request. Standard error has a code, a message and the details." },
  {
    status: 2,
    meaning:
      "The arguments, the JSON or GATEWAY_ADDR are invalid, and no request was sent; validate: the document is valid, and an apply would change something.",
  },
  { status: 3, meaning: "The gateway cannot be reached, or the server is not a gateway." },
  {
    status: 4,
    meaning: "health: the gateway is degraded or has failed. Standard output has the components and the reasons.",
  },
] as const;

/** Variables the client reads. */
export const environment = [
  {
    name: "GATEWAY_ADDR",
    meaning: `Address of the gateway, or unix: and the path of its socket. Default: unix:${defaultSocket} if it can be opened, else ${defaultAddress}.`,
  },
  { name: "PORTCULLIS_KEY", meaning: "API key to send." },
  { name: "PORTCULLIS_KEY_FILE", meaning: "File with the API key; it must be readable by its owner only." },
  {
    name: "PORTCULLIS_PIN",
    meaning:
      "Pin that the gateway's TLS key must have, as in tls_pin of its status. For programs, which cannot answer a prompt.",
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
  { meaning: "Changes of one actor", typed: ["portcullis audit --actor ada --since 2026-01-31T00:00:00Z"] },
  { meaning: "Roll back to an older state", typed: ["portcullis rollback 12"] },
  {
    meaning: "Another gateway",
    typed: ["export GATEWAY_ADDR=https://192.0.2.1:8080", "portcullis login", "portcullis status"],
  },
] as const;
