import { expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { daemonFolder, type LabDaemon, startDaemon } from "../daemon.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { isAnswered } from "../neighbours.ts";

/* Two LANs of one gateway, with a device and a web server in each. */

const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", more_lan_ifaces: ["lan1"] },
  dataplane: { enabled: true, confirm_first_sec: 0 },
};
const home = { v4: "10.77.0.2", v6: "fd77::2", gateway4: "10.77.0.1", gateway6: "fd77::1" };
const guest = { v4: "10.78.0.2", v6: "fd78::2", gateway4: "10.78.0.1", gateway6: "fd78::1" };
type Place = typeof home;

test("segments: isolated by default, in both families; what is allowed holds for one direction, and replies pass (T-always-14)", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, atHome, atGuest } = await openNetwork(lab);
  // The control: without the gateway's rules the machine forwards.
  await gateway.run("sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1");
  expect(await reached(atGuest, home)).toEqual(everything);
  using daemon = await startDaemon(gateway, config, folder);

  expect(await reached(atGuest, home)).toEqual(nothing);
  expect(await reached(atHome, guest)).toEqual(nothing);
  expect(await counted(gateway)).toBeGreaterThanOrEqual(8);
  // Its own address of the gateway answers.
  expect(await isAnswered(atGuest, guest.gateway4)).toBe(true);
  expect(await isAnswered(atGuest, guest.gateway6)).toBe(true);

  await update(daemon, "lan1", { name: "Guests" });
  const { reaches } = await update(daemon, "lan0", { name: "Home", reaches: ["guests"] });
  expect(reaches).toEqual(["Guests"]);
  expect(await reached(atHome, guest)).toEqual(everything);
  expect(await reached(atGuest, home)).toEqual(nothing);

  // A connection that exists ends with the permission.
  const stream = atHome.start(
    "curl",
    "-sS",
    "--limit-rate",
    "500k",
    "-o",
    "/dev/null",
    `http://${guest.v4}:8000/large`,
  );
  const ended = new Promise<number | null>((resolve) => stream.once("exit", resolve));
  await until("the download has begun", async () => (await connections(atHome)).includes(":8000"));
  await update(daemon, "Home", { reaches: [] });
  expect(await reached(atHome, guest)).toEqual(nothing);
  expect(await ended).not.toBe(0);

  // Without the daemon, and after it has started again, it stays so.
  await daemon.kill();
  expect(await reached(atHome, guest)).toEqual(nothing);
  using after = await startDaemon(gateway, config, folder);
  expect(await reached(atHome, guest)).toEqual(nothing);
  await update(after, "Guests", { reaches: ["Home"] });
  expect(await reached(atGuest, home)).toEqual(everything);
  await after.stop();
});

test("segments: a refused connection fails at once, and the evaluator gives the reason", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, atGuest } = await openNetwork(lab);
  using daemon = await startDaemon(gateway, config, folder);
  await update(daemon, "lan1", { name: "Guests" });
  const [code] = await curl(atGuest, home.v4);
  expect(code).toBe(7); // Refused, not 28: timed out.
  const pinged = await atGuest
    .run("ping", "-c", "1", "-W", "3", home.v4)
    .catch((error: { stdout: string }) => error.stdout);
  expect(pinged).toContain("Packet filtered");
  const packet = { interface: "lan1", source: guest.v4, destination: home.v4 };
  expect(await daemon.ok("POST", "/policy/evaluate", packet)).toMatchObject({
    outcome: "block",
    reason: "The segment Guests does not reach the segment lan0",
  });
});

interface Reached {
  readonly device: string;
  readonly gateway: string;
}
const everything: Reached = { device: "ping4 ping6 http4 http6", gateway: "ping4 ping6" };
const nothing: Reached = { device: "", gateway: "" };

/** What a host reaches in a segment. */
async function reached(from: Host, to: Place): Promise<Reached> {
  const attempts = {
    ping4: isAnswered(from, to.v4),
    ping6: isAnswered(from, to.v6),
    http4: curl(from, to.v4).then(([code]) => code === 0),
    http6: curl(from, `[${to.v6}]`).then(([code]) => code === 0),
  };
  const own = { ping4: isAnswered(from, to.gateway4), ping6: isAnswered(from, to.gateway6) };
  return { device: await succeeded(attempts), gateway: await succeeded(own) };
}

async function succeeded(attempts: Readonly<Record<string, Promise<boolean>>>): Promise<string> {
  const results = await Promise.all(Object.entries(attempts).map(async ([name, it]) => ((await it) ? [name] : [])));
  return results.flat().join(" ");
}

const curl = (from: Host, address: string): Promise<[code: number]> =>
  from.run("curl", "-sS", "-o", "/dev/null", "--max-time", "3", `http://${address}:8000/small`).then(
    () => [0],
    (error: { code: number }) => [error.code],
  );

const connections = (host: Host): Promise<string> => host.run("ss", "-Htn", "state", "established");

const counted = async (gateway: Host): Promise<number> =>
  Number(/packets (\d+)/.exec(await gateway.run("nft", "list", "counter", "inet", "portcullis_guard", "isolated"))![1]);

const update = async (daemon: LabDaemon, segment: string, body: object): Promise<{ reaches: string[] }> =>
  (await daemon.ok("PUT", `/segments/${segment}`, body)) as { reaches: string[] };

async function openNetwork(lab: Lab) {
  const [gateway, atHome, atGuest, outside] = [
    await lab.host("gw"),
    await lab.host("home"),
    await lab.host("guest"),
    await lab.host("outside"),
  ];
  for (const [host, device, { v4, v6, gateway4, gateway6 }] of [
    [atHome, "lan0", home],
    [atGuest, "lan1", guest],
  ] as const) {
    await lab.cable(
      { host: gateway, device, addresses: [`${gateway4}/24`, `${gateway6}/64`] },
      { host, device: "eth0", addresses: [`${v4}/24`, `${v6}/64`] },
    );
    await host.run("ip", "route", "add", "default", "via", gateway4);
    await host.run("ip", "-6", "route", "add", "default", "via", gateway6);
    host.start("python3", "-c", webServer);
    await until("the web server listens", async () => (await host.run("ss", "-Htln")).includes(":8000"));
  }
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["10.79.0.1/24"] },
    { host: outside, device: "eth0", addresses: ["10.79.0.2/24"] },
  );
  return { gateway, atHome, atGuest };
}

/** For both families. /large is more than any buffer holds. */
const webServer = `
import http.server, socket
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        for _ in range(64 if self.path == "/large" else 1):
            self.wfile.write(b"x" * (1 << 20 if self.path == "/large" else 1))
    def log_message(self, *args):
        pass
class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
Server(("::", 8000), Page).serve_forever()
`;
