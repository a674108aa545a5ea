import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { interfaceStatus } from "./interfaces.status.ts";
import { readHardware } from "../system/network.ts";

const now = () => new Date("2030-01-01T00:00:00.250Z");

test("interface status: concurrent calls share one reading, a later call reads again", async () => {
  const commands: string[] = [];
  const links = [
    { ifname: "no-such-link", flags: ["UP"], mtu: 1500, link_type: "ether", address: "02:00:00:00:00:01" },
  ];
  const read = interfaceStatus(
    {
      run: async (_, args) => {
        commands.push(args.join(" "));
        return args.includes("-6") ? "[]" : `${JSON.stringify(links)}\n[]\n`;
      },
    },
    now,
  );
  const [first, second] = await Promise.all([read(), read()]);
  expect([first, commands.length]).toEqual([second, 2]);
  expect(first).toMatchObject([
    {
      name: "no-such-link",
      kind: "ethernet",
      speed_mbps: null,
      default_gateway_v4: null,
      counters_at: "2030-01-01T00:00:00.250Z",
    },
  ]);
  await read();
  expect(commands).toHaveLength(4);
});

test("interface status: a failed reading is engine_unavailable, and the next call reads again", async () => {
  let answers = false;
  const read = interfaceStatus(
    {
      run: async () => (answers ? "[]" : Promise.reject(new Error("ip is not installed"))),
    },
    now,
  );
  await expect(read()).rejects.toMatchObject({ code: "engine_unavailable" });
  answers = true;
  expect(await read()).toEqual([]);
});

test("interface status: values that the driver does not report are null", async () => {
  using folder = temporaryFolder();
  const link = (name: string, files: Readonly<Record<string, string>>) => {
    mkdirSync(join(folder.path, name));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder.path, name, file), text);
    return readHardware(name, folder.path);
  };
  expect(await link("eth0", { speed: "2500\n", uevent: "INTERFACE=eth0\nIFINDEX=2\n" })).toEqual({
    isWireless: false,
    speedMbps: 2500,
  });
  expect(await link("wlan0", { uevent: "DEVTYPE=wlan\nINTERFACE=wlan0\n" })).toEqual({
    isWireless: true,
    speedMbps: null,
  });
  expect(await link("br0", { speed: "-1\n", uevent: "DEVTYPE=bridge\n" })).toEqual({
    isWireless: false,
    speedMbps: null,
  });
  expect(await readHardware("gone", folder.path)).toEqual({ isWireless: false, speedMbps: null });
});
