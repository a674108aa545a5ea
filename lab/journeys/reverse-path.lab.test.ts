import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { startDaemon } from "../daemon.ts";
import { openLab } from "../namespaces.ts";

const page = "answered by the other side";
const serve = `
import http.server, socket
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"${page}")
class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
server = Server(("::", 80), Answer)
print("ready", flush=True)
server.serve_forever()
`;

test("a device gets its answers, by the uplink and by a tunnel, where the distribution checks reverse paths", async () => {
  await using lab = openLab();
  const device = await lab.host("device");
  const gateway = await lab.host("gw");
  const outside = await lab.host("out");
  for (const scope of ["all", "default"]) await gateway.run("sysctl", "-qw", `net.ipv4.conf.${scope}.rp_filter=2`);
  const mac = "02:00:00:00:00:01";
  await lab.cable(
    { host: gateway, device: "lan0", addresses: ["10.0.0.1/24", "fd00::1/64"] },
    { host: device, device: "eth0", mac, addresses: ["10.0.0.2/24", "fd00::2/64"] },
  );
  for (const router of ["10.0.0.1", "fd00::1"]) await device.run("ip", "route", "add", "default", "via", router);
  for (const [index, name] of ["wan0", "t1"].entries()) {
    await lab.cable(
      { host: gateway, device: name, addresses: [`192.0.2.${8 * index + 1}/29`, `2001:db8:${index}::1/64`] },
      { host: outside, device: name, addresses: [`192.0.2.${8 * index + 2}/29`, `2001:db8:${index}::2/64`] },
    );
    for (const next of [`192.0.2.${8 * index + 2}`, `2001:db8:${index}::2`])
      await gateway.run("ip", "route", "add", "default", "via", next, "dev", name, "metric", String(100 + index));
  }
  for (const address of ["203.0.113.5/32", "2001:db8:f::1/128"])
    await outside.run("ip", "address", "add", address, "dev", "lo");
  const server = outside.start("python3", "-c", serve);
  await once(createInterface({ input: server.stdout! }), "line");
  const answers = async () => {
    const ask = (url: string) => device.run("curl", "--silent", "--max-time", "15", url).catch(() => "nothing");
    return [await ask("http://203.0.113.5/"), await ask("http://[2001:db8:f::1]/")];
  };

  const network = { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" };
  using daemon = await startDaemon(gateway, { network });
  expect(await answers()).toEqual([page, page]);
  await daemon.request("POST", "/devices", { name: "phone", mac });
  const hops = [{ type: "vpn", target: "t1" }];
  await daemon.request("POST", "/routing/policies", {
    name: "by t1",
    source_type: "device",
    source_value: "phone",
    hops,
  });
  expect(await daemon.request("POST", "/routing/policies/apply")).toMatchObject({ body: { enforced: true } });
  expect(await answers()).toEqual([page, page]);
  await gateway.run("ip", "link", "set", "t1", "down");
  expect(await answers()).toEqual(["nothing", "nothing"]);
});

test("from the uplink the gateway is reached by the ports that were named, and by no other (T-always-11)", async () => {
  await using lab = openLab();
  const gateway = await lab.host("gw");
  const outside = await lab.host("out");
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["192.0.2.1/24"] },
    { host: outside, device: "eth0", addresses: ["192.0.2.2/24"] },
  );
  await lab.cable({ host: gateway, device: "lan0", addresses: [] }, { host: outside, device: "eth1", addresses: [] });
  for (const port of ["22", "23"]) {
    const server = gateway.start("python3", "-c", serve.replace('("::", 80)', `("::", ${port})`));
    await once(createInterface({ input: server.stdout! }), "line");
  }
  const ask = (port: number) =>
    outside.run("curl", "--silent", "--max-time", "10", `http://192.0.2.1:${port}/`).catch(() => "nothing");
  expect([await ask(22), await ask(23)]).toEqual([page, page]);
  using _ = await startDaemon(gateway, { network: { lan_iface: "lan0", wan_iface: "wan0", uplink_ports: [22] } });
  expect([await ask(22), await ask(23)]).toEqual([page, "nothing"]);
});
