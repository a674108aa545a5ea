import { linux } from "../daemon/src/system/system.ts";
import { until } from "../testing/deadline.ts";
import { queryOnce } from "./dns-load.ts";
import type { Host } from "./namespaces.ts";

/** NSD with one zone: the DNS server of an office or a router. */
export async function startAuthority(host: Host, zone: string, records: string): Promise<void> {
  const file = `$ORIGIN ${zone}.\n@ 60 SOA ns.${zone}. hostmaster.${zone}. 1 60 60 60 60\n@ 60 NS ns\n${records}`;
  await linux.inMemory(file, (zonePath) => {
    const conf = `server:\n\tserver-count: 1\n\tusername: ""\n\tchroot: ""\n\tdatabase: ""\n\tpidfile: ""\n\tzonelistfile: ""\n\txfrdfile: ""\nremote-control:\n\tcontrol-enable: no\nzone:\n\tname: ${zone}\n\tzonefile: "${zonePath}"\n`;
    return linux.inMemory(conf, async (path) => {
      const nsd = host.start("nsd", "-d", "-c", path);
      for (const stream of [nsd.stdout!, nsd.stderr!]) stream.resume();
      await until(
        "the authority answers",
        async () => (await queryOnce(host, "127.0.0.1", `host.${zone}`)) !== undefined,
        10,
      );
    });
  });
}

/** dnsdist as a DNS filter: it refuses one domain and forwards all other queries to its only upstream. */
export async function startFilter(host: Host, upstream: string, at = "0.0.0.0:53", refused = "filtered.signed.lab") {
  const conf = `setSecurityPollSuffix("")
setLocal("${at}")
setACL({"0.0.0.0/0"})
newServer({address = "${upstream}", healthCheckMode = "up"}):setUp()
addAction(QNameRule("${refused}."), RCodeAction(DNSRCode.NXDOMAIN))
`;
  await linux.inMemory(conf, async (path) => {
    const dnsdist = host.start("dnsdist", "--supervised", "--disable-syslog", "-C", path);
    for (const stream of [dnsdist.stdout!, dnsdist.stderr!]) stream.resume();
    const port = at.split(":")[1];
    await until("the filter listens", async () => (await host.run("ss", "-Hlun", `sport = :${port}`)) !== "", 10);
  });
}
