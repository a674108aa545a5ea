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
  const children = supervisor({
    system,
    folder: `${folder}/children`,
    nowMs: () => performance.now(),
    onExit: () => {},
  });
  const resolving = openDnsPlane({
    system,
    folder: `${folder}/run`,
    stateFolder: `${folder}/state`,
    listFolder: `${folder}/lists`,
    children,
    now: () => new Date(),
    announce: ((name: string, about: unknown) => announced.push([name, about])) as unknown as Announce,
    onDrift: () => {},
    warn: () => {},
  });
  return {
    resolving,
    announced,
    policyFiles: () => readdirSync(`${folder}/run/dns/filter-policy`).toSorted(),
    close: async () => {
      await resolving.close();
      children.close();
    },
  };
}

test("DNS plane: the filter policy is written before a resolver starts", async () => {
  using folder = temporaryFolder();
  const { resolving, policyFiles, close } = opened(folder.path);
  resolving.write(answering);
  await resolving.settled();
  expect(policyFiles()).toEqual(expect.arrayContaining(["book.cdb", "state"]));
  expect(resolving.engines.dnsdist.states([])).toEqual([]);
  await close();
});

test("DNS plane: a resolver that cannot start is announced once, and its recovery too", async () => {
  using folder = temporaryFolder();
  const { resolving, announced, close } = opened(folder.path);
  resolving.write(answering);
  resolving.follow(answering);
  await resolving.settled();
  resolving.wake();
  await resolving.settled();
  expect(announced.map(([name]) => name)).toEqual(["dns.plane_down"]);
  expect(resolving.component()).toMatchObject({ name: "dns", status: "failed" });
  resolving.follow(silent);
  await resolving.settled();
  expect(announced.map(([name]) => name)).toEqual(["dns.plane_down", "dns.plane_up"]);
  expect(resolving.component()).toMatchObject({ name: "dns", status: "off" });
  await close();
});

test("DNS plane: without a resolver no filter policy is written", async () => {
  using folder = temporaryFolder();
  const { resolving, close } = opened(folder.path);
  resolving.write(silent);
  resolving.follow(silent);
  await resolving.settled();
  expect(linux.list(`${folder.path}/run/dns/filter-policy`)).toEqual([]);
  await close();
});
