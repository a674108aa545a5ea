import { afterAll, beforeAll, expect, test } from "vitest";
import { startDaemon } from "../daemon.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";

/*
 * A gateway with two networks: the office, which auth.local_net names, and the guests. Real addresses, real sockets:
 * the source address decides who may read and who may write.
 */
const key = "a-key-of-the-operator-0123456789";
let lab: Lab;
let office: Host;
let guest: Host;

beforeAll(async () => {
  lab = openLab();
  const gateway = await lab.host("gw");
  office = await lab.host("office");
  guest = await lab.host("guest");
  await lab.cable(
    { host: gateway, device: "lan0", addresses: ["10.77.0.1/24", "fd77::1/64"] },
    { host: office, device: "eth0", addresses: ["10.77.0.2/24", "fd77::2/64"] },
  );
  await lab.cable(
    { host: gateway, device: "lan1", addresses: ["10.78.0.1/24"] },
    { host: guest, device: "eth0", addresses: ["10.78.0.2/24"] },
  );
  await startDaemon(gateway, {
    listen: { api_addr: "[::]:8080", hosts: ["gateway.lan"] },
    dataplane: { enabled: false },
    auth: { enabled: true, local_net: "10.77.0.0/24", api_keys: [{ key, role: "operator", name: "ops" }] },
  });
});
afterAll(() => lab[Symbol.asyncDispose]());

const devices = (address: string) => `https://${address}:8080/api/v1/devices`;

async function status(from: Host, url: string, ...options: string[]): Promise<number> {
  const noise = [
    "--silent",
    "--insecure",
    "--globoff",
    "--max-time",
    "60",
    "--output",
    "/dev/null",
    "--write-out",
    "%{http_code}",
  ];
  return Number(await from.run("curl", ...noise, ...options, url));
}
const create = ["--request", "POST", "--header", "Content-Type: application/json", "--data"];
const bearer = ["--header", `Authorization: Bearer ${key}`];

test("the office reads without a credential, the guests do not", async () => {
  expect(await status(office, devices("10.77.0.1"))).toBe(200);
  expect(await status(guest, devices("10.78.0.1"))).toBe(401);
});

test("an office address of the other family has no access until local_net names it", async () => {
  expect(await status(office, devices("[fd77::1]"))).toBe(401);
  expect(await status(office, devices("[fd77::1]"), ...bearer)).toBe(200);
});

test("no client writes without a credential, and a key writes from anywhere", async () => {
  expect(await status(office, devices("10.77.0.1"), ...create, '{"name":"No"}')).toBe(401);
  expect(await status(guest, devices("10.78.0.1"), ...create, '{"name":"Yes"}', ...bearer)).toBe(201);
});

test("a name rebound to the gateway's address cannot write, the gateway's own name can", async () => {
  const rebound = ["--resolve", "evil.example:8080:10.77.0.1"];
  const own = ["--resolve", "gateway.lan:8080:10.77.0.1"];
  expect(await status(office, devices("evil.example"), ...rebound, ...create, '{"name":"Evil"}', ...bearer)).toBe(403);
  expect(await status(office, devices("gateway.lan"), ...own, ...create, '{"name":"Good"}', ...bearer)).toBe(201);
});

test("beyond loopback the API accepts TLS only", async () => {
  expect(await status(office, devices("10.77.0.1"))).toBe(200);
  const plain = devices("10.77.0.1").replace("https:", "http:");
  await expect(office.run("curl", "--silent", "--max-time", "60", plain)).rejects.toThrow("curl");
});

test("a page of another origin cannot write, a page of the gateway can", async () => {
  const page = (origin: string) => [...create, '{"name":"Page"}', ...bearer, "--header", `Origin: ${origin}`];
  expect(await status(office, devices("10.77.0.1"), ...page("https://evil.example"))).toBe(403);
  expect(await status(office, devices("10.77.0.1"), ...page("https://10.77.0.1:8080"))).toBe(201);
});
