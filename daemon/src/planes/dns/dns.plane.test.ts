import { readdirSync } from "node:fs";
import type { Announce } from "@portcullis/contract/events";
import { expect, test } from "vitest";
import { compiledFrom } from "../../../../testing/compiled.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { namesWith } from "../../../../testing/intent.ts";
import { supervisor } from "../../engines/supervisor/supervisor.ts";
import { openDnsPlane } from "./dns.plane.ts";
import { linux, type System } from "../../system/system.ts";

const links = [{ name: "wan0", up: true, addresses: ["203.0.113.2"] }];
const answering = compiledFrom({ dns: namesWith() }, { observed: { links } });
const silent = compiledFrom({}, { observed: { links } });

/** On a machine that has files, but no program that could be started. */
function opened(folder: string) {
  const system: System = {
    ...linux,
    launch: () => {
      throw new Error("dnsdist cannot be started");
    },
    run: async () => "",
  };
  const announced: [string, unknown][] = [];
  const processes = supervisor({
    system,
    folder: `${folder}/children`,
    nowMs: () => performance.now(),
    onExit: () => {},
  });
  const plane = openDnsPlane({
    system,
    folder: `${folder}/run`,
    stateFolder: `${folder}/state`,
    listFolder: `${folder}/lists`,
    supervisor: processes,
    pqMode: () => "default",
    now: () => new Date(),
    announce: ((name: string, about: unknown) => announced.push([name, about])) as unknown as Announce,
    onDrift: () => {},
    warn: () => {},
  });
  return {
    plane,
    announced,
    policyFiles: () => readdirSync(`${folder}/run/dns/filter-policy`).toSorted(),
    close: async () => {
      await plane.close();
      processes.close();
    },
  };
}

test("DNS plane: the filter policy is written before a resolver starts", async () => {
  using folder = temporaryFolder();
  const { plane, policyFiles, close } = opened(folder.path);
  plane.write(answering);
  await plane.whenIdle();
  expect(policyFiles()).toEqual(expect.arrayContaining([expect.stringMatching(/\.cdb$/), "state"]));
  expect(plane.engines.dnsdist.states([])).toEqual([]);
  await close();
});

test("DNS plane: a resolver that cannot start is announced once, and its recovery too", async () => {
  using folder = temporaryFolder();
  const { plane, announced, close } = opened(folder.path);
  plane.write(answering);
  plane.follow(answering);
  await plane.whenIdle();
  plane.wake();
  await plane.whenIdle();
  expect(announced.map(([name]) => name)).toEqual(["dns.plane_down"]);
  expect(plane.component()).toMatchObject({ name: "dns", status: "failed" });
  plane.follow(silent);
  await plane.whenIdle();
  expect(announced.map(([name]) => name)).toEqual(["dns.plane_down", "dns.plane_up"]);
  expect(plane.component()).toMatchObject({ name: "dns", status: "off" });
  await close();
});

test("DNS plane: without a resolver no filter policy is written", async () => {
  using folder = temporaryFolder();
  const { plane, close } = opened(folder.path);
  plane.write(silent);
  plane.follow(silent);
  await plane.whenIdle();
  expect(linux.list(`${folder.path}/run/dns/filter-policy`)).toEqual([]);
  await close();
});
