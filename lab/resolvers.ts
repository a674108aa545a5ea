import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { until } from "../testing/deadline.ts";
import { temporaryFolder } from "../testing/folder.ts";
import type { Internet, Site } from "./internet.ts";
import { manyNetworks, type DnsTree, zoneFiles } from "./dns-tree.ts";

/** A resolver somewhere on the Internet: NSD, which knows the whole world, and dnsdist before it for DoT and DoH. */
export interface Resolver extends Disposable {
  readonly name: string;
  /** The name in its certificate. */
  readonly serverName: string;
  readonly site: Site;
  /** Drops this percentage of queries, on all its ports. */
  lose(percent: number): Promise<void>;
  silence(): Promise<void>;
  /** After a silence. */
  recover(): Promise<void>;
  /** SIGKILL: clients get an ICMP error or a reset at once. */
  kill(): Promise<void>;
  /** After a kill, or to read zones that were signed anew. */
  restart(): Promise<void>;
  /** Queries received and answered since its start; with a type, only those for records of that type. */
  answered(type?: string): Promise<number>;
}

export const resolverPorts = { plain: 53, dot: 853, doh: 443 } as const;

interface Options {
  /** Its certificate: its own, that of another server, or its own from an untrusted authority. */
  readonly certificate?: "right" | "of another" | "untrusted";
  /** false: it returns no signatures, as resolvers do that know nothing of DNSSEC. */
  readonly isSigned?: boolean;
}

/** Resolves once it answers. It ends with the lab; its files are disposed of. */
export async function startResolver(
  net: Internet,
  world: DnsTree,
  name: string,
  { certificate = "right", isSigned = true }: Options = {},
): Promise<Resolver> {
  const site = await net.site(name);
  const serverName = `${name}.resolvers.lab`;
  const folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const inFolder = (file: string) => join(folder.path, file);
  const { cert, key } = world.certificate(name, {
    names: [certificate === "of another" ? "another.resolvers.lab" : serverName],
    addresses: certificate === "of another" ? [] : [site.v4, site.v6],
    isTrusted: certificate !== "untrusted",
  });
  writeFileSync(inFolder("nsd.conf"), nsdConf(name, world.folder, folder.path, isSigned));
  writeFileSync(inFolder("dnsdist.conf"), dnsdistConf(cert, key));

  let programs: readonly ChildProcess[] = [];
  async function start(): Promise<void> {
    let complaint = await tried();
    // Children of one that was killed may hold its port a moment longer.
    for (let left = 2; complaint !== undefined && left > 0; left -= 1) {
      await kill();
      await wait(200);
      complaint = await tried();
    }
    if (complaint !== undefined) throw new Error(`The resolver ${name} does not listen: ${complaint}`);
  }
  /** Returns the output when it did not start. */
  async function tried(): Promise<string | undefined> {
    const nsd = site.host.start("nsd", "-d", "-c", inFolder("nsd.conf"));
    const dnsdist = site.host.start("dnsdist", "--supervised", "--disable-syslog", "-C", inFolder("dnsdist.conf"));
    programs = [nsd, dnsdist];
    const complaints: string[] = [];
    for (const stream of programs.flatMap((it) => [it.stdout!, it.stderr!]))
      stream.on("data", (chunk: Buffer) => complaints.length < 100 && complaints.push(chunk.toString()));
    const hasEnded = () => programs.some((it) => it.exitCode !== null);
    await until("the resolver listens, or has ended", async () => hasEnded() || (await listensEverywhere(site)));
    return hasEnded() ? complaints.join("") : undefined;
  }
  async function kill(): Promise<void> {
    for (const program of programs) {
      if (program.exitCode !== null || program.signalCode !== null) continue;
      const ended = once(program, "exit");
      process.kill(-program.pid!, "SIGKILL");
      await ended;
    }
  }
  await start();
  return {
    name,
    serverName,
    site,
    lose: (percent) => lose(site, percent),
    silence: () => lose(site, 100),
    recover: () => lose(site, 0),
    kill,
    restart: async () => {
      await kill();
      await start();
    },
    answered: async (type) => {
      const text = await site.host.run("nsd-control", "-c", inFolder("nsd.conf"), "stats_noreset");
      const counted = type === undefined ? "num.queries" : `num.type.${type}`;
      const line = text.split("\n").find((it) => it.startsWith(`${counted}=`));
      return Number(line?.split("=")[1] ?? 0);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** All addresses of `many.lab` are the web server's from now on. */
export async function routeManyToWeb({ core, web }: Internet): Promise<void> {
  const next = { v4: await addressOf(web, "-4"), v6: await addressOf(web, "-6") };
  for (const family of ["v4", "v6"] as const) {
    await core.run("ip", "route", "add", manyNetworks[family], "via", next[family]);
    await web.run("ip", "route", "add", "local", manyNetworks[family], "dev", "lo");
  }
}

async function addressOf(host: Internet["web"], family: "-4" | "-6"): Promise<string> {
  const lines = await host.run("ip", family, "-o", "address", "show", "dev", "eth0", "scope", "global");
  return / inet6? ([^/]+)\//.exec(lines)![1]!;
}

const nsdConf = (name: string, zones: string, folder: string, isSigned: boolean) => `server:
	ip-address: 0.0.0.0
	ip-address: ::0
	port: ${resolverPorts.plain}
	server-count: 1
	username: ""
	chroot: ""
	database: ""
	pidfile: ""
	zonesdir: "${zones}"
	zonelistfile: "${folder}/zones.list"
	xfrdfile: "${folder}/xfrd.state"
	xfrdir: "${folder}"
	identity: "${name}"
	tcp-count: 200
	reuseport: no
	round-robin: no
	rrl-ratelimit: 0
remote-control:
	control-enable: yes
	control-interface: "${folder}/nsd.sock"
${Object.entries({ ...zoneFiles, ...(!isSigned && { ".": "root.zone" }) })
  .map(([zone, file]) => `zone:\n\tname: "${zone}"\n\tzonefile: "${file}"\n`)
  .join("")}`;

const dnsdistConf = (cert: string, key: string) => `setSecurityPollSuffix("")
setLocal("127.0.0.1:5300")
setACL({"0.0.0.0/0", "::/0"})
setMaxUDPOutstanding(65535)
for _, address in ipairs({"0.0.0.0", "[::]"}) do
  addTLSLocal(address .. ":${resolverPorts.dot}", "${cert}", "${key}")
  addDOHLocal(address .. ":${resolverPorts.doh}", "${cert}", "${key}", "/dns-query")
end
newServer({address = "127.0.0.1:${resolverPorts.plain}", checkName = ".", checkType = "SOA", checkInterval = 1, sockets = 2}):setUp()
`;

async function listensEverywhere({ host }: Site): Promise<boolean> {
  const lines = await host.run("ss", "-Hlntu");
  const isThere = (protocol: string, port: number) => new RegExp(`^${protocol} .*[:\\]]${port}\\s`, "m").test(lines);
  return isThere("udp", resolverPorts.plain) && Object.values(resolverPorts).every((port) => isThere("tcp", port));
}

/** In its own namespace: the path to it is not affected. */
async function lose({ host }: Site, percent: number): Promise<void> {
  const ports = Object.values(resolverPorts).join(", ");
  await host.run("nft", "add table inet lab_silence");
  await host.run("nft", "delete table inet lab_silence");
  if (percent === 0) return;
  const chance = percent >= 100 ? "" : `numgen random mod 100 < ${percent} `;
  await host.run("nft", "add table inet lab_silence");
  await host.run("nft", "add chain inet lab_silence input { type filter hook input priority -300; }");
  await host.run(
    "nft",
    `add rule inet lab_silence input iifname != lo meta l4proto { tcp, udp } th dport { ${ports} } ${chance}drop`,
  );
}
