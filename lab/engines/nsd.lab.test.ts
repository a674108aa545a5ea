import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { userOf } from "../../daemon/src/engines/sandbox/sandbox.model.ts";
import { supervisor, type Supervisor } from "../../daemon/src/engines/supervisor/supervisor.ts";
import { nsdEngine } from "../../daemon/src/engines/nsd/nsd.engine.ts";
import type { Authority, ZoneRecord } from "../../daemon/src/engines/nsd/nsd.model.ts";
import { renderZone } from "../../daemon/src/engines/nsd/zone.render.ts";
import type { System } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { enginesFolder } from "../tunnel-engines.ts";
import { query, datagramRequest } from "../dns.ts";
import { bring } from "../loader.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";

const folder = enginesFolder();
let lab: Lab;
let host: Host;
let system: System;
let children: Supervisor;
let engine: ReturnType<typeof nsdEngine>;

beforeAll(async () => {
  lab = openLab();
  host = await lab.host("nsd");
  system = systemOn(host);
  children = supervisor({
    system,
    folder: `${folder.path}/children`,
    nowMs: () => performance.now(),
    onExit: () => {},
  });
  engine = nsdEngine({ system, supervisor: children, folder: `${folder.path}/nsd`, query: datagramRequest(host) });
});
afterAll(async () => {
  children.close();
  folder[Symbol.dispose]();
  await lab[Symbol.asyncDispose]();
});

const port = 17_990;
const home = (serial: number, ...records: readonly ZoneRecord[]) => ({
  name: "home.lan",
  text: renderZone({ name: "home.lan", serial, ttlSec: 300, records }),
});
const address = (name: string, value: string): ZoneRecord => ({ name, type: "A", value, ttlSec: null });
const other = { name: "other.lan", text: renderZone({ name: "other.lan", serial: 1, ttlSec: 60, records: [] }) };
const wanted = (...zones: Authority["zones"]): Authority => ({ port, userId: userOf(port), zones });
const records = async (name: string, type = "A") => (await query(host, port, name, type)).records;
const status = async (name: string) => (await query(host, port, name, "SOA")).status;
const childProcess = () => children.observe("nsd").map(({ condition }) => condition);

test("a zone is served from the first go, and every byte of it is what was meant", async () => {
  const text = 'a "b" \\ ; $INCLUDE /etc/passwd';
  const zone = home(
    1,
    address("nas", "192.168.1.6"),
    { name: "www", type: "CNAME", value: "nas", ttlSec: null },
    { name: "t", type: "TXT", value: text, ttlSec: null },
    { name: "@", type: "CAA", value: '0 issue "ca.example"', ttlSec: null },
    { name: "_sip._tcp", type: "SRV", value: "1 2 5060 nas", ttlSec: null },
  );
  await bring(engine, wanted(zone));
  await until("the zone is answered", async () => (await status("home.lan")) === "NOERROR", 10);
  expect(await records("www.home.lan")).toEqual(["300 CNAME nas.home.lan.", "300 A 192.168.1.6"]);
  expect(await records("t.home.lan", "TXT")).toEqual([String.raw`300 TXT "a \"b\" \\ ; $INCLUDE /etc/passwd"`]);
  expect(await records("home.lan", "CAA")).toEqual(['300 CAA 0 issue "ca.example"']);
  expect(await records("_sip._tcp.home.lan", "SRV")).toEqual(["300 SRV 1 2 5060 nas.home.lan."]);
  expect(engine.state().kind).toBe("running");
  expect(engine.changes(wanted(zone), await engine.observe())).toEqual([]);
});

test("it is confined: its own user, no privileges, zones it cannot write", async () => {
  const owners = await host.processesOf(userOf(port));
  const statuses = owners.flatMap(statusOf);
  expect(statuses.length).toBeGreaterThan(0);
  expect(statuses.map((text) => /CapBnd:\t(\w+)/.exec(text)![1])).toEqual(statuses.map(() => "0000000000000000"));
  const mounts = readFileSync(`/proc/${owners[0]!}/mounts`, "utf8");
  expect(/ \/zones \S+ (\w+)/.exec(mounts)![1]).toBe("ro");
});

/** Nothing of one that has ended meanwhile: after a change NSD replaces those that answer. */
function statusOf(id: string): string[] {
  try {
    return [readFileSync(`/proc/${id}/status`, "utf8")];
  } catch {
    return [];
  }
}

test("NSD: zones are added, changed and removed while it runs, and no query is lost", async () => {
  await bring(engine, wanted(home(1, address("nas", "192.168.1.6"))));
  const before = childProcess();
  const querying = { isOver: false, answers: new Map<string, number>() };
  const flood = (async () => {
    while (!querying.isOver) {
      const answer = await status("home.lan");
      querying.answers.set(answer, (querying.answers.get(answer) ?? 0) + 1);
    }
  })();
  for (let serial = 2; serial < 18; serial += 1) {
    const value = `192.168.1.${serial}`;
    await bring(engine, wanted(home(serial, address("nas", value)), ...(serial % 2 === 0 ? [other] : [])));
    await until("the change is answered", async () => (await records("nas.home.lan"))[0] === `300 A ${value}`, 5);
    const expected = serial % 2 === 0 ? "NOERROR" : "REFUSED";
    await until("the other zone has come or gone", async () => (await status("other.lan")) === expected, 5);
  }
  querying.isOver = true;
  await flood;
  expect([...querying.answers.keys()]).toEqual(["NOERROR"]);
  expect(querying.answers.get("NOERROR")).toBeGreaterThan(10);
  expect(childProcess()).toEqual(before); // The same process.
  expect(system.list(`${folder.path}/nsd/zones`)).toEqual(["home.lan.zone"]);
});

test("NSD: foreign changes of files and of the running server are found and undone", async () => {
  const zone = home(20, address("nas", "192.168.1.6"));
  await bring(engine, wanted(zone));
  system.writeAtomically(`${folder.path}/nsd/zones/home.lan.zone`, home(21, address("nas", "192.0.2.66")).text, 0o644);
  const seen = await engine.observe();
  const changes = engine.changes(wanted(zone), seen);
  expect(engine.drift(changes, seen)).toEqual([
    { resource: "home.lan", field: "zone", expected: "served", actual: "another" },
  ]);
  await engine.apply(changes);
  expect(await records("nas.home.lan")).toEqual(["300 A 192.168.1.6"]);
  expect(engine.changes(wanted(zone), await engine.observe())).toEqual([]);
});

test("one that is killed comes back with its zones, also with those that changed meanwhile", async () => {
  await bring(engine, wanted(home(30, address("nas", "192.168.1.6")), other));
  const [id] = await host.processesOf(userOf(port));
  await host.run("kill", "-9", id!);
  const changed = wanted(home(31, address("nas", "192.168.1.31")));
  await until(
    "the change is answered",
    async () => {
      // As a reconciler would, again and again: it has done everything when nothing failed.
      const isDone = await bring(engine, changed).then(
        () => true,
        () => false,
      );
      return isDone && (await records("nas.home.lan"))[0] === "300 A 192.168.1.31";
    },
    20,
  );
  await until("the other zone is gone", async () => (await status("other.lan")) === "REFUSED", 5);
  expect(engine.changes(changed, await engine.observe())).toEqual([]);
});

test("nothing wanted is no program", async () => {
  await bring(engine, null);
  expect(childProcess()).toEqual([]);
  expect(await status("home.lan")).toBe("silence");
});
