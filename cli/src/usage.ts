import { defaultAddress, defaultSocket } from "./address.ts";

/** General usage, for the manual page and the reference. */
export const usageDescription = [
  "A task such as protect, why or pause does all that one intention needs. Every other command consists of a kind and a verb. " +
    "Without a verb, the client lists or shows the kind.",
  "On a terminal the output is for people: tables that fit it, sentences, names instead of ids, times relative to now, and colours unless " +
    "NO_COLOR is set or TERM is dumb. An id that is shown has its last eight digits, which commands accept.",
  "Otherwise the output is for programs: a list is a line of column names, then a line for each row, separated by tabs; " +
    "all other results are JSON. With --json lists are JSON, too, also on a terminal. Control characters in values are always escaped.",
  "A field of a body is an option, such as --name of devices create. Lists are given by repeating their option, a field of an object with " +
    "a dot (--config.username), or the object as JSON or as type=vpn,target=Amsterdam; null is the word null. " +
    "Options and JSON can be combined: the options replace fields of the JSON.",
  "The JSON of a command is an argument that starts with a brace or a bracket, the path of a file, " +
    "or standard input if it is absent or a dash and no option is a field. apply, validate and backup import also take YAML, as a file or from standard input. A secret belongs in a file or in standard input: other users of the machine can read options.",
  "An argument that takes an id also takes a name. Filters and other query parameters are options, " +
    "such as --actor of audit; a time can be a span, such as --since 2h. --follow continues events, dns log and audit.",
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
  { name: "NO_COLOR", meaning: "If it is not empty, the output has no colours." },
  { name: "PORTCULLIS_KEY", meaning: "API key to send." },
  { name: "PORTCULLIS_KEY_FILE", meaning: "File with the API key; it must be readable by its owner only." },
  {
    name: "PORTCULLIS_PIN",
    meaning:
      "Pin that the gateway's TLS key must have, as in tls_pin of its status. For programs, which cannot answer a prompt.",
  },
] as const;

export const examples = [
  {
    meaning: "A device through a tunnel",
    typed: ["portcullis protect TV --via Amsterdam", "portcullis changes confirm"],
  },
  { meaning: "Why a device, or a page on it, does not work", typed: ["portcullis why TV shop.example"] },
  { meaning: "A break from filtering", typed: ["portcullis pause 10m --for TV", "portcullis resume"] },
  { meaning: "A domain, for one device", typed: ["portcullis unblock shop.example --for TV"] },
  { meaning: "DNS queries of a device, as they arrive", typed: ["portcullis dns log --client TV --follow"] },
  { meaning: "A device from options", typed: ["portcullis devices create --name TV --mac 02:00:00:00:00:01"] },
  { meaning: "Names of all devices", typed: ["portcullis devices | tail -n +2 | cut -f 2"] },
  {
    meaning: "A device from an argument, a file and a pipe",
    typed: [
      `portcullis devices create '{"name": "printer"}'`,
      "portcullis devices create printer.json",
      "jq .printer all.json | portcullis devices create",
    ],
  },
  { meaning: "Changes of one actor", typed: ["portcullis audit --actor ada --since 24h"] },
  { meaning: "Roll back to an older state", typed: ["portcullis rollback 12"] },
  {
    meaning: "Another gateway",
    typed: ["export GATEWAY_ADDR=https://192.0.2.1:8080", "portcullis login", "portcullis status"],
  },
] as const;
