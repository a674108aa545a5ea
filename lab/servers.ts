import { execFileSync, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { OpenvpnClient } from "../daemon/src/engines/openvpn/openvpn.model.ts";
import { tunnelUserOf } from "../daemon/src/engines/tun/tun.model.ts";
import type { WireguardLink } from "../daemon/src/engines/wireguard/wireguard.model.ts";
import { linux } from "../daemon/src/system/system.ts";
import { until } from "../testing/deadline.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { removeSocket } from "./leftovers.ts";
import type { Host } from "./namespaces.ts";

/** The far end of a tunnel, with every failure a real one has. */
export interface FarEnd {
  /** Its address inside the tunnel. */
  readonly inside: string;
  /** It runs, but sends nothing. */
  freeze(): void;
  thaw(): void;
  /** SIGKILL; its interface vanishes. */
  kill(): Promise<void>;
  /** After a kill: the same server with the same keys. */
  restart(): Promise<void>;
  /** Loses so many of a hundred packets, in both directions; 0 is a good wire again. */
  lose(percent: number): Promise<void>;
}

/** Sockets of wireguard-go are shared by all namespaces of a machine, so no two interfaces of labs may have one name. */
export const uniqueName = (prefix: string): string => `${prefix}${randomBytes(4).toString("hex")}`;

export interface WireguardServer extends FarEnd {
  /** What a client needs to speak with it. */
  client(mark?: number): WireguardLink;
  /** All secret keys. */
  readonly secrets: readonly string[];
}

interface WireguardOptions {
  /** Where it listens, an address of the host. */
  readonly address: string;
  readonly port?: number;
  /** The third number of its network 10.x.y.0/24 inside the tunnel, when several are in one lab. */
  readonly number?: number;
  /** Whether IPv6 goes through it, too. */
  readonly ipv6?: boolean;
}

/** A WireGuard server on a host of the lab, for one client. Resolves once it listens. */
export async function startWireguardServer(
  host: Host,
  { address, port = 51_820, number = 1, ipv6 = false }: WireguardOptions,
): Promise<WireguardServer> {
  const [server, client, presharedKey] = [keyPair(), keyPair(), wg("genpsk")];
  const [name, clientName] = [uniqueName("ws"), uniqueName("wg")];
  const [inside, clientInside] = [`10.77.${number}.1`, `10.77.${number}.2`];
  const [inside6, clientInside6] = [`fd77:${number}::1`, `fd77:${number}::2`];
  const clientAddresses = [`${clientInside}/32`, ...(ipv6 ? [`${clientInside6}/128`] : [])];
  const conf = `[Interface]
PrivateKey = ${server.privateKey}
ListenPort = ${port}
[Peer]
PublicKey = ${client.publicKey}
PresharedKey = ${presharedKey}
AllowedIPs = ${clientAddresses.join(", ")}
`;
  async function start(): Promise<ChildProcess> {
    const program = await startWireguard(host, name, conf);
    await host.run("ip", "address", "add", `${inside}/24`, "dev", name);
    if (ipv6) await host.run("ip", "address", "add", `${inside6}/64`, "dev", name, "nodad");
    return program;
  }
  return {
    ...farEnd(host, { start, program: await start(), inside, port }),
    client: (mark = 0) => ({
      interface: clientName,
      privateKey: client.privateKey,
      addresses: clientAddresses,
      mtu: 1420,
      listenPort: null,
      mark,
      userId: tunnelUserOf(100 + number),
      peers: [
        {
          publicKey: server.publicKey,
          presharedKey,
          endpoint: `${address}:${port}`,
          allowedIps: ["0.0.0.0/0", "::/0"],
          keepaliveSec: 1,
        },
      ],
    }),
    secrets: [client.privateKey, server.privateKey, presharedKey],
  };
}

/** An interface that is up, with the program behind it. */
export async function startWireguard(host: Host, name: string, conf: string): Promise<ChildProcess> {
  const program = host.start("env", "LOG_LEVEL=error", "WG_PROCESS_FOREGROUND=1", "wireguard-go", "-f", name);
  // It logs every packet it could not send; without a reader it would block.
  for (const stream of [program.stdout!, program.stderr!]) stream.resume();
  program.once("exit", () => removeSocket(name));
  await untilItListens(program, `/wireguard/${name}.sock`);
  await linux.inMemory(conf, (path) => host.run("wg", "setconf", name, path));
  await host.run("ip", "link", "set", name, "up");
  return program;
}

export interface OpenvpnServer extends FarEnd {
  /** What a client needs to speak with it. */
  client(mark?: number): OpenvpnClient;
  /** Keys, and the password. */
  readonly secrets: readonly string[];
  /** Directives for the client that connects next, such as `ifconfig-push`; none: the defaults. */
  assign(...directives: readonly string[]): void;
  [Symbol.dispose](): void;
}

interface OpenvpnOptions {
  readonly address: string;
  readonly port?: number;
  readonly protocol?: "udp" | "tcp";
  /** The third number of its network 10.78.y.0/24 inside the tunnel. */
  readonly number?: number;
  /** Without them a certificate is enough. */
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly topology?: "subnet" | "net30" | "p2p";
}

/** An OpenVPN server on a host of the lab. It pushes routes and resolvers that no client should take. */
export async function startOpenvpnServer(
  host: Host,
  { address, port = 1194, protocol = "udp", number = 1, credentials, topology = "subnet" }: OpenvpnOptions,
): Promise<OpenvpnServer> {
  const folder = temporaryFolder();
  const inFolder = (name: string) => join(folder.path, name);
  const text = (name: string) => readFileSync(inFolder(name), "utf8");
  makeAuthority(folder.path);
  mkdirSync(inFolder("clients"));
  execFileSync("openvpn", ["--genkey", "tls-crypt", inFolder("shared.key")]);
  if (credentials) {
    writeFileSync(inFolder("expected"), `${credentials.username}\n${credentials.password}\n`);
    writeFileSync(inFolder("verify"), `#!/bin/sh\nexec cmp -s "$1" ${inFolder("expected")}\n`, { mode: 0o755 });
  }
  const conf = `dev ${uniqueName("os")}
dev-type tun
topology ${topology}
client-config-dir ${folder.path}/clients
server 10.78.${number}.0 255.255.255.0
${address === "0.0.0.0" ? "multihome" : `local ${address}`}
port ${port}
proto ${protocol === "tcp" ? "tcp-server" : "udp"}
dh none
ca ${inFolder("ca.crt")}
cert ${inFolder("server.crt")}
key ${inFolder("server.key")}
tls-crypt ${inFolder("shared.key")}
keepalive 1 5
push "redirect-gateway def1"
push "route 10.0.0.0 255.0.0.0"
push "dhcp-option DNS 192.0.2.53"
push "block-outside-dns"
push "tun-mtu 60000"
push "verb 11"
push "setenv-safe lab 1"
push "echo lab"
disable-dco
verb 1
${credentials ? `script-security 2\nauth-user-pass-verify ${inFolder("verify")} via-file` : ""}
`;
  writeFileSync(inFolder("server.conf"), conf);
  async function start(): Promise<ChildProcess> {
    const program = host.start("openvpn", "--config", inFolder("server.conf"));
    const lines = createInterface({ input: program.stdout! });
    // Keeps reading: its output has no other reader.
    await new Promise<void>((ready, failed) => {
      lines.on("line", (line) => line.includes("Initialization Sequence Completed") && ready());
      program.once("exit", () => failed(new Error("The OpenVPN server ended")));
    });
    return program;
  }
  const name = uniqueName("ov");
  return {
    ...farEnd(host, { start, program: await start(), inside: `10.78.${number}.1`, port }),
    client: (mark = 0) => ({
      interface: name,
      remotes: [{ address, port, protocol }],
      directives: [{ name: "remote-cert-tls", args: ["server"] }],
      blocks: {
        ca: text("ca.crt"),
        cert: text("client.crt"),
        key: text("client.key"),
        "tls-crypt": text("shared.key"),
      },
      credentials: credentials ?? null,
      mtu: 1400,
      mark,
      userId: tunnelUserOf(10 + number),
      reserved: [],
    }),
    assign: (...directives) => writeFileSync(inFolder("clients/client"), `${directives.join("\n")}\n`),
    secrets: [
      ...[text("client.key"), text("shared.key")].map((key) => key.trim().split("\n").at(-2)!),
      ...(credentials ? [credentials.username, credentials.password] : []),
    ],
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** A tiny authority with a certificate for a server and one for a client. */
function makeAuthority(folder: string): void {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl("req", "-x509", ...fresh, "-days", "2", "-subj", "/CN=lab", "-keyout", "ca.key", "-out", "ca.crt");
  for (const name of ["server", "client"]) {
    openssl("req", ...fresh, "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.csr`);
    const uses = `basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=${name}Auth\n`;
    writeFileSync(join(folder, `${name}.ext`), uses);
    const signed = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"];
    openssl("x509", "-req", "-in", `${name}.csr`, ...signed, "-extfile", `${name}.ext`, "-out", `${name}.crt`);
  }
}

interface Program {
  readonly start: () => Promise<ChildProcess>;
  readonly program: ChildProcess;
  readonly inside: string;
  readonly port: number;
}

function farEnd(host: Host, { start, program: first, inside, port }: Program): FarEnd {
  let program = first;
  return {
    inside,
    // With all it has started.
    freeze: () => void process.kill(-program.pid!, "SIGSTOP"),
    // Who was killed meanwhile comes back awake.
    thaw: () => void (program.signalCode === null && process.kill(-program.pid!, "SIGCONT")),
    kill: async () => {
      const ended = once(program, "exit");
      process.kill(-program.pid!, "SIGKILL");
      await ended;
    },
    restart: async () => void (program = await start()),
    lose: (percent) => lose(host, port, percent),
  };
}

async function lose(host: Host, port: number, percent: number): Promise<void> {
  const table = `lab_loss_${port}`;
  await host.run("nft", "add", "table", "inet", table);
  await host.run("nft", "delete", "table", "inet", table);
  if (percent === 0) return;
  await host.run("nft", "add", "table", "inet", table);
  const chance = percent >= 100 ? "" : `numgen random mod 100 < ${percent}`;
  for (const [hook, end] of [["input", "dport"] as const, ["output", "sport"] as const]) {
    await host.run("nft", `add chain inet ${table} ${hook} { type filter hook ${hook} priority -300; }`);
    for (const protocol of ["udp", "tcp"])
      await host.run("nft", `add rule inet ${table} ${hook} ${protocol} ${end} ${port} ${chance} drop`);
  }
}

export function keyPair(): { readonly privateKey: string; readonly publicKey: string } {
  const privateKey = wg("genkey");
  return { privateKey, publicKey: wg("pubkey", privateKey) };
}

const wg = (verb: string, input = ""): string => execFileSync("wg", [verb], { input, encoding: "utf8" }).trim();

/** Not with wg: it removes a socket whose program is about to listen. */
async function untilItListens(program: ChildProcess, socket: string): Promise<void> {
  await until(`a program listens on ${socket}`, async () => {
    if (program.exitCode !== null || program.signalCode !== null) throw new Error(`wireguard-go ended: ${socket}`);
    const sockets = readFileSync(`/proc/${program.pid}/net/unix`, "utf8").split("\n");
    return sockets.some((line) => line.endsWith(socket) && line.split(" ")[3] === "00010000");
  });
}

/** A SOCKS5 server on a host of the lab: danted, open to all clients. */
export async function startSocksServer(host: Host, { port }: { readonly port: number }): Promise<FarEnd & Disposable> {
  const folder = temporaryFolder();
  const file = join(folder.path, "danted.conf");
  const everyDevice = "{ from: 0.0.0.0/0 to: 0.0.0.0/0 }";
  const conf = `logoutput: stderr
internal: 0.0.0.0 port = ${port}
external: eth0
clientmethod: none
socksmethod: none
client pass ${everyDevice}
socks pass ${everyDevice}
`;
  writeFileSync(file, conf);
  async function start(): Promise<ChildProcess> {
    const program = host.start("danted", "-f", file);
    program.stderr!.resume();
    await until("the SOCKS5 server listens", async () => {
      if (program.exitCode !== null) throw new Error("The SOCKS5 server ended");
      return (await host.run("ss", "-Hltn", `sport = :${port}`)) !== "";
    });
    return program;
  }
  return {
    ...farEnd(host, { start, program: await start(), inside: "", port }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
