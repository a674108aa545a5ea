import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Reason } from "@portcullis/contract/reason";
import { userOf } from "../daemon/src/engines/sandbox/sandbox.model.ts";
import { filterPolicyFiles } from "../daemon/src/engines/dnsdist/filter-policy.files.ts";
import type { FilterPolicy, Listed, Rule } from "../daemon/src/engines/dnsdist/filter-policy.model.ts";
import { renderFilterPolicy } from "../daemon/src/engines/dnsdist/filter-policy.render.ts";
import type { Flushed } from "../daemon/src/engines/dnsdist/dnsdist.engine.ts";
import { type Frontend, nsdPort, portsOf, type Upstream } from "../daemon/src/engines/dnsdist/dnsdist.model.ts";
import type { CacheListing, FrontendStatistics } from "../daemon/src/engines/dnsdist/dnsdist.parse.ts";
import { renderLists } from "../daemon/src/engines/dnsdist/lists.render.ts";
import type { Drift } from "../daemon/src/engines/engine.ts";
import { linux } from "../daemon/src/system/system.ts";
import { until } from "../testing/deadline.ts";
import { soon } from "./dns.ts";
import { supervisedIn } from "./tunnel-engines.ts";
import type { Host, Lab } from "./namespaces.ts";

/** A gateway with fronts, a resolver behind them, upstreams that know a few names, and a device with two addresses. */
export interface DnsdistTopology {
  readonly gateway: Host;
  readonly device: Host;
  readonly query: (name: string, type?: string, options?: QueryOptions) => Promise<Answer>;
  readonly write: (policy: FilterPolicy, lists?: Iterable<readonly [string, Listed]>) => Promise<void>;
  readonly openDriver: () => Promise<Driver>;
  /** Starts a filter on the device that has one record and forwards all other queries to the gateway. */
  readonly startFilter: (address: string, record: string) => void;
  /** Takes the log from now on, where the daemon would, and answers what can be read in each record so far. */
  readonly openLog: () => () => readonly string[];
  /** Starts a server in place of NSD that has one record of a zone. */
  readonly startZoneServer: (zone: string, record: string) => void;
}

interface QueryOptions {
  readonly from?: string;
  readonly front?: Frontend;
  readonly flags?: readonly string[];
}

export interface Answer {
  /** SILENT when there was none. */
  readonly status: string;
  /** Type and value of each record. */
  readonly records: readonly string[];
}

export interface Driver {
  readonly want: (...fronts: readonly Frontend[]) => Promise<void>;
  readonly drift: () => Promise<readonly Drift[]>;
  readonly states: () => Promise<readonly { readonly kind: string; readonly problem: Reason | null }[]>;
  readonly statistics: (front: Frontend) => Promise<FrontendStatistics>;
  readonly cache: (front: Frontend, limit: number, pattern?: string) => Promise<CacheListing>;
  readonly flush: (front: Frontend, pattern?: string) => Promise<Flushed>;
  readonly kill: () => Promise<void>;
}

export const devices = ["10.0.0.2", "10.0.0.3"] as const;
const gatewayAddress = "10.0.0.1";
const upstreams = ["127.0.0.11", "127.0.0.12", "127.0.0.13"] as const;
const number = 3;

export const upstream = (name: string, address: string): Upstream => ({
  name,
  address,
  port: 53,
  protocol: "plain",
  serverName: null,
  path: "/dns-query",
  source: null,
  pqMode: "default",
  usesDnsProxy: false,
});

export const plainFrontend: Frontend = {
  egress: "the lab",
  number,
  userId: userOf(portsOf(number).frontend),
  ports: portsOf(number),
  isResolving: true,
  isMapping: false,
  upstreams: { rotation: "round-robin", servers: [upstream("u1", "127.0.0.11")] },
  conditional: [],
  zones: [],
  external: null,
  rebindable: [],
  isRebindingProtected: true,
  ratePerSec: 0,
  caFile: "/etc/ssl/certs/ca-certificates.crt",
  logPort: 17_991,
};

const everyClient = { layers: [0], lists: 1, log: "full" as const };
export const filterPolicyOf = (rules: readonly Rule[], more: Partial<FilterPolicy> = {}): FilterPolicy => ({
  isFiltering: true,
  clients: [{ network: devices[1], layers: [], lists: 0, log: "full" }],
  others: everyClient,
  layers: [{ number: 0, rules }],
  lists: [{ id: "l1", name: "one", bit: 0 }],
  routes: [],
  ...more,
});

export async function openDnsdistTopology(
  lab: Lab,
  folder: string,
  names: readonly string[],
): Promise<DnsdistTopology> {
  const [gateway, device] = [await lab.host("gw"), await lab.host("dev")];
  await lab.cable(
    { host: gateway, device: "lan0", addresses: [`${gatewayAddress}/24`] },
    { host: device, device: "eth0", addresses: devices.map((it) => `${it}/24`) },
  );
  await gateway.run("sysctl", "-qw", "net.ipv4.ip_unprivileged_port_start=0");
  for (const address of upstreams) startUnbound(gateway, folder, address, upstreamConf(address, names));
  startUnbound(gateway, folder, "resolver", resolverConf(portsOf(number)));
  // One answer is the answer of one upstream: the others are not known to be there by it.
  const listeners = [...upstreams.map((it) => `${it}:53`), `127.0.0.1:${portsOf(number).unbound}`];
  await until("upstreams and resolver listen", async () => {
    const lines = await gateway.run("ss", "-Hlun");
    return listeners.every((it) => lines.includes(` ${it} `));
  });
  const files = filterPolicyFiles(linux, `${folder}/policy`);
  return {
    gateway,
    device,
    write: (policy, lists = []) =>
      files.write({ policy: renderFilterPolicy(policy), lists: renderLists(lists), isFiltering: policy.isFiltering }),
    query: async (name, type = "A", { from = devices[0], front = plainFrontend, flags = [] } = {}) => {
      const at = ["-b", from, "-p", String(front.ports.frontend), `@${gatewayAddress}`];
      const words = ["+timeout=10", "+retry=0", ...flags];
      const text = await device.run("kdig", ...at, name, type, ...words).catch(() => "");
      return answerIn(text);
    },
    openDriver: () => openDriver(gateway, folder),
    startFilter: (address, record) =>
      startUnbound(
        device,
        folder,
        "filter",
        `  interface: ${address}@5353\n  outgoing-interface: ${address}\n  access-control: 0.0.0.0/0 allow\n  module-config: "iterator"\n  local-data: "${record}"\nforward-zone:\n  name: "."\n  forward-addr: ${gatewayAddress}@${plainFrontend.ports.filtered}\n`,
      ),
    openLog: () => {
      const file = `${folder}/log`;
      gateway.start("python3", resolve("lab/log-sink.py"), String(plainFrontend.logPort), file);
      return () => (linux.readText(file) ?? "").split("\n");
    },
    startZoneServer: (zone, record) =>
      startUnbound(
        gateway,
        folder,
        "zones",
        `  interface: 127.0.0.1@${nsdPort}\n  local-zone: "." static\n  local-zone: "${zone}" static\n  local-data: "${record}"\n`,
      ),
  };
}

function answerIn(text: string): Answer {
  const status = /status: (\w+)/.exec(text)?.[1] ?? "SILENT";
  const section = /;; ANSWER SECTION:\n(.*?)\n\n/s.exec(text)?.[1] ?? "";
  const records = section.split("\n").filter((line) => line !== "");
  return { status, records: records.map((line) => line.split(/\s+/).slice(3).join(" ")) };
}

function startUnbound(host: Host, folder: string, name: string, conf: string): void {
  const file = `${folder}/${name}.conf`;
  writeFileSync(file, `server:\n${alone}${conf}`);
  host.start("unbound", "-d", "-c", file);
}

const alone = `  username: ""
  chroot: ""
  pidfile: ""
  use-syslog: no
  logfile: "/dev/null"
  do-daemonize: no
  do-not-query-localhost: no
`;

/** What it does not know does not exist. */
const upstreamConf = (address: string, names: readonly string[]): string =>
  `  interface: ${address}@53\n  access-control: 127.0.0.0/8 allow\n  local-zone: "." static\n  local-data: "${identityName} 1 IN TXT ${address}"\n${names
    .map((line) => `  local-data: "${line}"\n`)
    .join("")}`;

export const identityName = "who.example.";

const resolverConf = ({ unbound, backend }: Frontend["ports"]): string => `  interface: 127.0.0.1@${unbound}
  module-config: "iterator"
  num-queries-per-thread: 4096
  outgoing-range: 8192
forward-zone:
  name: "."
  forward-addr: 127.0.0.1@${backend}
`;

async function openDriver(host: Host, folder: string): Promise<Driver> {
  const driver = host.start(process.execPath, resolve("lab/dnsdist-driver.ts"), folder);
  const complaints: string[] = [];
  driver.stderr!.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  driver.stdin!.on("error", () => {}); // The missing answer reports it.
  const ended = once(driver, "exit").then(() => {
    throw new Error(`The driver ended: ${complaints.join("")}`);
  });
  ended.catch(() => {}); // A failure only while a caller waits for an answer.
  const lines = createInterface({ input: driver.stdout! });
  const answer = async () => ((await Promise.race([once(lines, "line"), ended])) as [string])[0];
  await answer();
  async function request<T>(message: object): Promise<T> {
    driver.stdin!.write(`${JSON.stringify(message)}\n`);
    const response = JSON.parse(await answer()) as T & { error?: string };
    if (response?.error !== undefined) throw new Error(response.error);
    return response;
  }
  return {
    want: async (...fronts) => void (await request({ kind: "want", fronts })),
    drift: () => request({ kind: "drift" }),
    states: () => request({ kind: "states" }),
    statistics: (front) => request({ kind: "statistics", front }),
    cache: (front, limit, pattern) => request({ kind: "cache", front, limit, pattern }),
    flush: (front, pattern) => request({ kind: "flush", front, pattern }),
    kill: async () => {
      const exit = once(driver, "exit");
      driver.kill("SIGKILL");
      await exit;
    },
  };
}

export const frontendProcesses = (folder: string): readonly number[] =>
  supervisedIn(folder).map(({ processId }) => processId);

/** Waits until the resolver behind the fronts is taken to be up. */
export const untilAnswered = (fronts: DnsdistTopology, name: string): Promise<number> =>
  until(
    "the name is answered",
    async () => (await fronts.query(name, "A", { flags: [soon] })).status === "NOERROR",
    10,
  );
