import { mkdirSync, chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { sandboxed, userOf } from "../daemon/src/engines/sandbox/sandbox.model.ts";
import { netfilter } from "../daemon/src/engines/sandbox/seccomp.model.ts";
import { type Frontend, portsOf } from "../daemon/src/engines/dnsdist/dnsdist.model.ts";
import {
  sandboxPaths,
  renderFrontend,
  renderConfigure,
  renderSettings,
} from "../daemon/src/engines/dnsdist/dnsdist.render.ts";
import { configurationFile, ownFolder, renderStart } from "../daemon/src/engines/unbound/unbound.render.ts";
import type { Host, Lab } from "../lab/namespaces.ts";
import { systemOn } from "../lab/system.ts";
import { until } from "../testing/deadline.ts";
import { onCpuNanos } from "./cpu-time.ts";
import { clientAddress, clientCount, freshDomain } from "./dns-sample.ts";

/** A gateway with resolvers on one core, and 1,000 clients on the other. */
export interface DnsTestbed {
  /** dnsdist with its packet cache in front of an Unbound, configured by hand. */
  readonly bare: (port: number, unbound: number) => Promise<Program>;
  readonly front: (front: Frontend, policyFolder: string) => Promise<Program>;
  /** It forwards to a port of the gateway: that of a frontend, or of the upstream. */
  readonly unbound: (port: number, upstream: number) => Promise<Program>;
  /** Receives the log of the frontends, as the daemon does. Returns the number of records so far. */
  readonly receiveLog: () => Promise<() => Promise<number>>;
  /** Sends each line of the file as a query, each from another client, many concurrently. */
  readonly query: (port: number, file: string) => Promise<QueryResults>;
  /** The same from the gateway itself, for resolvers that listen on loopback only. */
  readonly queryLocally: (port: number, file: string) => Promise<QueryResults>;
}

export interface Program {
  readonly nanos: () => number;
  /** Megabytes. */
  readonly memory: () => { readonly rss: number; readonly pss: number };
}

export interface QueryResults {
  readonly answered: number;
  /** Of those, with a record. */
  readonly found: number;
  readonly lost: number;
}

export const upstreamPort = 17_000;

const [resolverCore, clientCore] = ["0", "1"];
const gatewayAddress = "10.0.0.1";

/** `records` are the records of the upstream. */
export async function openDnsTestbed(lab: Lab, folder: string, records: readonly string[]): Promise<DnsTestbed> {
  const [gateway, clients] = [await lab.host("gw"), await lab.host("clients")];
  await lab.cable(
    { host: gateway, device: "lan0", addresses: [`${gatewayAddress}/24`] },
    { host: clients, device: "eth0", addresses: ["10.0.0.2/24"] },
  );
  await gateway.run("ip", "route", "add", "10.77.0.0/16", "via", "10.0.0.2");
  await clients.run("ip", "route", "add", "local", "10.77.0.0/16", "dev", "lo");
  await systemOn(clients).run("nft", ["-f", "-"], { stdin: clientAddresses });
  await systemOn(gateway).run("nft", ["-f", "-"], { stdin: maps });
  const configuration = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  async function start(words: readonly string[], stdin: string, port: number): Promise<Program> {
    const child = gateway.start("taskset", "-c", resolverCore, ...words);
    child.stdin!.end(stdin);
    const output: string[] = [];
    for (const stream of [child.stdout!, child.stderr!])
      stream.on("data", (chunk: Buffer) => output.length < 100 && output.push(chunk.toString()));
    await until(
      "the program listens",
      async () => {
        if (child.exitCode !== null) throw new Error(`${words.join(" ")} ended: ${output.join("")}`);
        return (await gateway.run("ss", "-Hlnu", `sport = :${port}`)) !== "";
      },
      10,
    );
    return program(descendants(child.pid!).at(-1)!);
  }

  /** The seccomp filter is read from descriptor 3, as the supervisor passes it. */
  function withFilter({ command, args, files }: ReturnType<typeof sandboxed>, port: number): string[] {
    const file = join(folder, `seccomp-${port}`);
    writeFileSync(file, files[0]!);
    return ["sh", "-c", 'exec "$@" 3<"$0"', file, command, ...args];
  }

  const upstream = configuration("upstream.conf", upstreamConf(records));
  await start(["unbound", "-d", "-c", upstream], "", upstreamPort);
  return {
    bare: (port, unbound) =>
      start(["dnsdist", "--supervised", "-C", configuration("bare.conf", bareConf(port, unbound))], "", port),
    front: async (front, policyFolder) => {
      const program = sandboxed({
        command: "dnsdist",
        args: ["--supervised", "--disable-syslog", "-C", sandboxPaths.configuration],
        userId: front.userId,
        shown: {},
        read: {
          [sandboxPaths.scripts]: resolve("daemon/src/engines/dnsdist/lua"),
          [sandboxPaths.policy]: policyFolder,
        },
        privileges: front.isMapping ? ["net_admin"] : [],
        rules: front.isMapping ? { netlink: [netfilter] } : {},
        fromStdin: sandboxPaths.configuration,
        port: front.ports.frontend,
      });
      const text = `${renderFrontend(front, key)}\n${renderConfigure(renderSettings(front), "bench")}\n`;
      return start(withFilter(program, front.ports.frontend), text, front.ports.frontend);
    },
    unbound: async (port, upstream) => {
      const own = join(folder, `unbound-${port}`);
      mkdirSync(own);
      chmodSync(own, 0o777);
      const program = sandboxed({
        command: "unbound",
        args: ["-d", "-c", configurationFile],
        userId: userOf(port),
        shown: {},
        written: { [ownFolder]: own },
        fromStdin: configurationFile,
        port,
      });
      const settings = { isValidating: false, anchors: [], insecure: [], ignoresDates: false };
      const text = renderStart({ number: 1, userId: userOf(port), port, frontendPort: upstream, ...settings });
      return start(withFilter(program, port), text, port);
    },
    receiveLog: async () => {
      const receiver = gateway.start("taskset", "-c", clientCore, process.execPath, resolve("bench/log-server.ts"));
      const lines = createInterface({ input: receiver.stdout! });
      const line = async () => ((await once(lines, "line")) as [string])[0];
      await line();
      return async () => {
        const answer = line();
        receiver.stdin!.write("\n");
        return Number(await answer);
      };
    },
    query: (port, file) => runQueries(clients, gatewayAddress, port, file),
    queryLocally: (port, file) => runQueries(gateway, "127.0.0.1", port, file),
  };
}

async function runQueries(host: Host, address: string, port: number, file: string): Promise<QueryResults> {
  const load = ["-s", address, "-p", String(port), "-d", file, "-n", "1", "-c", "8", "-q", "200", "-t", "10"];
  const text = await host.run("taskset", "-c", clientCore, "dnsperf", ...load);
  const figure = (what: string) => Number(new RegExp(`${what} +(\\d+)`).exec(text)?.[1] ?? 0);
  return { answered: figure("Queries completed:"), found: figure("NOERROR"), lost: figure("Queries lost:") };
}

export const frontOf = (number: number, more: Partial<Frontend>): Frontend => ({
  egress: "the bench",
  number,
  userId: userOf(portsOf(number).frontend),
  ports: portsOf(number),
  isResolving: true,
  isMapping: false,
  upstreams: { rotation: "round-robin", servers: [upstream] },
  conditional: [],
  zones: [],
  external: null,
  rebindable: [],
  isRebindingProtected: true,
  ratePerSec: 0,
  caFile: "/etc/ssl/certs/ca-certificates.crt",
  logPort: 17_991,
  ...more,
});

const upstream = {
  name: "u1",
  address: "127.0.0.1",
  port: upstreamPort,
  protocol: "plain",
  serverName: null,
  path: "/dns-query",
  source: null,
  pqMode: "default",
  usesDnsProxy: false,
} as const;

const key = Buffer.alloc(32, 7).toString("base64");

/** Each query has another source address, which the kernel sets on output. Answers pass no rule. */
const clientAddresses = `table ip clients {
	chain output {
		type filter hook output priority 0;
		udp dport 18000-19999 ip saddr set numgen random mod ${clientCount} map { ${Array.from(
      { length: clientCount },
      (_, at) => `${at} : ${clientAddress(at + 1)}`,
    ).join(", ")} }
	}
}
`;

const maps = `table inet portcullis {
	map domain4 { type ipv4_addr : classid; flags timeout; }
	map domain6 { type ipv6_addr : classid; flags timeout; }
}
`;

const upstreamConf = (records: readonly string[]): string => `server:
	interface: 127.0.0.1@${upstreamPort}
	username: ""
	chroot: ""
	pidfile: ""
	use-syslog: no
	logfile: "/dev/null"
	do-daemonize: no
	so-rcvbuf: 4m
	local-zone: "." static
	local-zone: "${freshDomain}." redirect
	local-data: "${freshDomain}. 3600 IN A 198.51.100.1"
${records.map((record) => `\tlocal-data: "${record}"\n`).join("")}`;

const bareConf = (port: number, unbound: number): string => `setLocal("0.0.0.0:${port}", { reusePort = true })
setACL({ "0.0.0.0/0" })
setSecurityPollSuffix("")
setMaxUDPOutstanding(65535)
setUDPSocketBufferSizes(4194304, 4194304)
newServer({ address = "127.0.0.1:${unbound}", checkName = "localhost.", sockets = 4 }):setUp()
getPool(""):setCache(newPacketCache(100000, { maxTTL = 3600, maxNegativeTTL = 300, temporaryFailureTTL = 1, numberOfShards = 16 }))
`;

function program(pid: number): Program {
  return {
    nanos: () => onCpuNanos(pid),
    memory: () => {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
      const figure = (what: string) => Number(new RegExp(`^${what}: +(\\d+)`, "m").exec(text)![1]) / 1024;
      return { rss: figure("Rss"), pss: figure("Pss") };
    },
  };
}

/** The process and its descendants, the youngest last. */
function descendants(pid: number): readonly number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")
      .split(" ")
      .filter((it) => it !== ""),
  );
  return [pid, ...children.flatMap((child) => descendants(Number(child)))];
}
