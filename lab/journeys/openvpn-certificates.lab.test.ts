import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { type HopTopology, openHopTopology } from "../topology-hops.ts";
import { type Lab, openLab } from "../namespaces.ts";

let lab: Lab;
let topology: HopTopology;

beforeAll(async () => {
  lab = openLab();
  topology = await openHopTopology(lab);
});
afterAll(async () => {
  await topology?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

interface Shown {
  readonly status: string;
  readonly config: { readonly requires_credentials: boolean; readonly has_password: boolean };
}

test("OpenVPN: a tunnel with a certificate and no password connects and forwards, as one with a password does", async () => {
  const byPassword = await topology.openvpn("password");
  const byCertificate = await topology.openvpn("certificate", true, true);
  const devices = [
    { hop: byPassword, device: await topology.addClient("first", [byPassword]), credentials: true },
    { hop: byCertificate, device: await topology.addClient("second", [byCertificate]), credentials: false },
  ];
  await topology.apply();
  for (const { hop, device, credentials } of devices) {
    await until(
      `${device.name} leaves through ${hop.name}`,
      async () => (await device.seenFrom()).includes(hop.site.v4),
      60,
    );
    // Packets pass before the connection is reported and before its first probe is answered.
    const shown = async () => (await topology.api.ok("GET", `/tunnels/${hop.id}`)) as Shown;
    await until(`${hop.name} is reported as up`, async () => (await shown()).status === "up", 10);
    const { config } = await shown();
    expect([config.requires_credentials, config.has_password]).toEqual([credentials, credentials]);
  }
});
