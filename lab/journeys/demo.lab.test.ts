import { afterAll, beforeAll, expect, test } from "vitest";
import { type Demo, openDemo } from "../demo.ts";

let demo: Demo;
beforeAll(async () => void (demo = await openDemo(0)));
afterAll(() => demo?.[Symbol.asyncDispose]());

test("demo: the web interface and the API answer on the loopback interface of this machine", async () => {
  const page = await fetch(demo.address);
  expect(await page.text()).toContain("<title>");
  const devices = (await (await fetch(`${demo.address}/api/v1/devices`)).json()) as { readonly name: string }[];
  expect(devices.map(({ name }) => name).toSorted()).toEqual(["laptop", "tv"]);
});

test("demo: the provider captures packets of the laptop during a bypass, and none while its VPN server is dead", async () => {
  const lines: string[] = [];
  const { captured, sent } = await demo.leakTest((line) => lines.push(line));
  expect(captured.control).toBeGreaterThan(10);
  expect(sent).toBeGreaterThan(100);
  expect({ leaked: captured.protected, lines }).toMatchObject({ leaked: 0 });
  expect(lines.at(-1)).toContain(`The laptop sent ${sent} datagrams. The provider captured 0 packets`);
});
