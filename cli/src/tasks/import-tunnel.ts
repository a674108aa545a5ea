import { basename } from "node:path";
import { Misuse } from "../failure.ts";
import { bad, good, type Rich, rich, sentence, strong, warn } from "../screen/rich.ts";
import { pairs } from "../screen/sheet.ts";
import { words } from "../screen/values.ts";
import { command } from "./lookups.ts";
import { argumentsOf, type Task } from "./task.ts";

export const importTunnel: Task = {
  words: ["tunnels", "import"],
  synopsis: "<file> [--name <name>] [options]",
  summary: "Create a tunnel from a WireGuard .conf or an OpenVPN .ovpn file",
  description:
    "The content decides which of the two it is. The name is that of the file unless --name gives another. Keys and passwords are stored encrypted.",
  options: [
    { name: "--name", value: "name", meaning: "Name of the tunnel" },
    { name: "--username", value: "name", meaning: "OpenVPN: user name, if the server requires one" },
    { name: "--password-file", value: "file", meaning: "OpenVPN: file whose first line is the password" },
    { name: "--disabled", meaning: "Do not bring it up" },
  ],
  examples: [
    "portcullis tunnels import amsterdam.conf --name Amsterdam",
    "portcullis tunnels import zurich.ovpn --username me --password-file password.txt",
  ],
  run: async (given, { client, readFile }) => {
    const [file = ""] = argumentsOf(given, ["file"]);
    const config = await textOf(file, readFile);
    const body = {
      config,
      name: given.option("--name")[0] ?? nameOf(file),
      enabled: !given.has("--disabled"),
    };
    const [username] = given.option("--username");
    const [passwordFile] = given.option("--password-file");
    const isWireguard = /^\s*\[Interface\]\s*$/im.test(config);
    if (isWireguard && (username ?? passwordFile) !== undefined)
      throw new Misuse("A WireGuard file needs neither --username nor --password-file", given.usage);
    const tunnel = isWireguard
      ? await client.tunnels.importWireguard({ body })
      : await client.tunnels.uploadOvpn({
          body: {
            ...body,
            ...(username !== undefined && { username }),
            ...(passwordFile !== undefined && { password: firstLine(await textOf(passwordFile, readFile)) }),
          },
        });
    return {
      value: tunnel,
      lines: (reading) => [
        sentence`${good("Imported")} the tunnel ${strong(tunnel.name)}.`,
        ...pairs([
          ["Type", rich(typeNames[tunnel.type])],
          ["Interface", rich(tunnel.interface)],
          ["Server", rich(serverOf(tunnel.config))],
          ["Status", sentence`${words("status", tunnel.status, reading)}: ${tunnel.reason}`],
        ]),
        ...tunnel.notes.map((it): Rich => sentence`${warn("Note:")} ${it}`),
        ...(tunnel.enabled
          ? []
          : [sentence`It is ${bad("disabled")}. To bring it up:`, command("tunnels", "up", tunnel.name)]),
        rich("To send a device through it:"),
        sentence`  ${strong(`portcullis protect <device> --via `)}${strong(shellWord(tunnel.name))}`,
      ],
    };
  },
};

const typeNames = { wireguard: "WireGuard", openvpn: "OpenVPN" } as const;

function serverOf(config: object): string {
  const { peers = [], remotes = [] } = config as {
    readonly peers?: readonly { readonly endpoint: string | null }[];
    readonly remotes?: readonly { readonly host: string; readonly port: number }[];
  };
  return [
    ...peers.map(({ endpoint }) => endpoint ?? "none"),
    ...remotes.map(({ host, port }) => `${host}:${port}`),
  ].join(", ");
}

const shellWord = (name: string): string => (/^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);

const nameOf = (file: string): string => basename(file).replace(/\.(?:conf|ovpn|txt)$/i, "");

const firstLine = (text: string): string => text.split(/\r?\n/, 1)[0]!;

async function textOf(path: string, readFile: (path: string) => Promise<Uint8Array>): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    if (cause instanceof TypeError) throw new Misuse(`${path} is not text in UTF-8`, undefined, { cause });
    throw cause;
  }
}
