import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Frontend, Upstream } from "../../daemon/src/engines/dnsdist/dnsdist.model.ts";
import { linux } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { enginesFolder } from "../tunnel-engines.ts";
import { soon } from "../dns.ts";
import {
  filterPolicyOf,
  frontendProcesses,
  openDnsdistTopology,
  plainFrontend,
  untilAnswered,
  upstream,
} from "../topology-dnsdist.ts";
import { openLab } from "../namespaces.ts";

const address = "127.0.0.21";
/** Its certificate is of the other one. */
const strange = "127.0.0.22";
const names = ["www.site.example. 60 IN A 198.51.100.1"];
const sealed = (protocol: "dot" | "doh", serverName: string | null, at = address): Upstream => ({
  ...upstream(protocol, at),
  protocol,
  port: protocol === "dot" ? 853 : 443,
  serverName,
});

/** An issuer, and a certificate of its for a name and an address. */
async function certify(
  folder: string,
): Promise<{ readonly issuer: string; readonly chain: string; readonly key: string }> {
  const path = (name: string) => `${folder}/${name}.pem`;
  const openssl = (...args: string[]) => linux.run("openssl", args);
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  await openssl("req", "-x509", ...fresh, "-subj", "/CN=lab", "-keyout", path("issuer-key"), "-out", path("issuer"));
  const by = ["-CA", path("issuer"), "-CAkey", path("issuer-key")];
  const alternatives = `subjectAltName=DNS:dns.example,IP:${address}`;
  const leaf = ["-subj", "/CN=dns", "-addext", alternatives, "-keyout", path("key"), "-out", path("chain")];
  await openssl("req", "-x509", ...fresh, ...by, ...leaf);
  return { issuer: path("issuer"), chain: path("chain"), key: path("key") };
}

test("dnsdist: upstreams are queried by DoT and DoH, and none whose certificate has another name", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  await fronts.write(filterPolicyOf([]));
  const { issuer, chain, key } = await certify(folder.path);
  const conf = `${folder.path}/sealed.conf`;
  writeFileSync(
    conf,
    `setLocal("${address}:53")
for _, address in ipairs({ "${address}", "${strange}" }) do
  addTLSLocal(address .. ":853", "${chain}", "${key}", { provider = "openssl" })
  addDOHLocal(address .. ":443", "${chain}", "${key}", "/dns-query")
end
setSecurityPollSuffix("")
newServer({ address = "127.0.0.11:53" })
`,
  );
  fronts.gateway.start("dnsdist", "--supervised", "-C", conf);
  const isServing = () =>
    fronts.gateway.run("kdig", `@${address}`, soon, "+retry=0", "www.site.example").then(
      (text) => text.includes("status: NOERROR"),
      () => false,
    );
  await until("the upstream behind the certificates answers", isServing, 10);
  const driver = await fronts.openDriver();
  const by = (...servers: readonly Upstream[]): Frontend => ({
    ...plainFrontend,
    caFile: issuer,
    upstreams: { rotation: "failover", servers },
  });
  await driver.want(by(upstream("u1", "127.0.0.11")));
  await untilAnswered(fronts, "www.site.example");
  const processes = frontendProcesses(folder.path);
  let count = 0;
  const fresh = async () => (await fronts.query(`n${(count += 1)}.site.example`)).status;
  const isUp = async (name: string) =>
    (await driver.statistics(plainFrontend)).servers.find((it) => it.name === name)?.isUp ?? false;

  for (const protocol of ["dot", "doh"] as const) {
    await driver.want(by(sealed(protocol, "dns.example")));
    await until("the upstream is up", () => isUp(protocol), 8);
    expect(await fresh()).toBe("NXDOMAIN");
    // It counts as up at first, then the check fails, and it is never queried.
    for (const other of [sealed(protocol, "other.example"), sealed(protocol, null, strange)]) {
      await driver.want(by(other));
      await until("the certificate is refused", async () => !(await isUp(protocol)), 10);
      expect(await fresh()).toBe("SERVFAIL");
    }
    await driver.want(by(sealed(protocol, null)));
    await until("a name is answered", async () => (await fresh()) === "NXDOMAIN", 8);
  }
  await driver.want(by(upstream("u1", "127.0.0.11")));
  await until("a name is answered in the clear", async () => (await fresh()) === "NXDOMAIN", 8);
  expect(frontendProcesses(folder.path)).toEqual(processes);
});
