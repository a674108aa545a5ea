import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { type Household, openHousehold } from "../topology-hops.ts";
import { type Lab, openLab } from "../namespaces.ts";

let lab: Lab;
let house: Household;

beforeAll(async () => {
  lab = openLab();
  house = await openHousehold(lab);
});
afterAll(async () => {
  await house?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

interface Shown {
  readonly status: string;
  readonly config: { readonly requires_credentials: boolean; readonly has_password: boolean };
}

test("OpenVPN: a tunnel with a certificate and no password connects and forwards, as one with a password does", async () => {
  const byPassword = await house.openvpn("password");
  const byCertificate = await house.openvpn("certificate", true, true);
  const devices = [
    { hop: byPassword, device: await house.resident("first", [byPassword]), credentials: true },
    { hop: byCertificate, device: await house.resident("second", [byCertificate]), credentials: false },
  ];
  await house.apply();
  for (const { hop, device, credentials } of devices) {
    await until(
      `${device.name} leaves through ${hop.name}`,
      async () => (await device.who()).includes(hop.site.v4),
      60,
    );
    // Packets pass before the connection is reported and before its first probe is answered.
    const shown = async () => (await house.ask.ok("GET", `/tunnels/${hop.id}`)) as Shown;
    await until(`${hop.name} is reported as up`, async () => (await shown()).status === "up", 10);
    const { config } = await shown();
    expect([config.requires_credentials, config.has_password]).toEqual([credentials, credentials]);
  }
});
