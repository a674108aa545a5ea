import { expect, test } from "vitest";
import { examine, reportAgainMs, type Senders, suspects } from "./scans.machine.ts";

const mac = "02:00:00:00:00:01";
const other = "02:00:00:00:00:02";
const ports = (count: number, ageSec: number, of = mac) =>
  Array.from({ length: count }, (_, index) => ({
    mac: of,
    address: "203.0.113.5",
    protocol: "tcp",
    port: 1000 * ageSec + index,
    ageSec,
  }));
const count = (targets: number) => [{ mac, targets }];
const none: Senders = new Map();

test("port scans: the targets of a sender are read after 25 new ones, and not again before 25 further ones", () => {
  expect(suspects(none, count(24), 0)).toEqual([]);
  expect(suspects(none, count(25), 0)).toEqual([mac]);
  const { senders, scans } = examine({
    senders: none,
    suspected: [mac],
    counted: count(25),
    targets: ports(25, 1),
    nowMs: 0,
  });
  expect(scans).toEqual([]);
  expect(suspects(senders, count(49), 10_000)).toEqual([]);
  expect(suspects(senders, count(50), 10_000)).toEqual([mac]);
  // The element was removed after its time, and the kernel counts from 0.
  expect(suspects(senders, count(24), 10_000)).toEqual([]);
});

test("port scans: a slow scan is found, although each reading has only a few of its targets", () => {
  let senders = none;
  const found: number[] = [];
  for (let second = 10; second <= 70; second += 10) {
    const counted = count(2 * second);
    const suspected = suspects(senders, counted, second * 1000);
    const targets = Array.from({ length: second }, (_, age) => ports(2, age + 1)).flat();
    const result = examine({ senders, suspected, counted, targets, nowMs: second * 1000 });
    senders = result.senders;
    if (result.scans.length > 0) found.push(second);
  }
  expect(found).toEqual([40, 70]);
});

test("port scans: what was reported is not reported again, and what follows is, however soon", () => {
  const nowMs = 1_000_000;
  const first = examine({ senders: none, suspected: [mac], counted: count(60), targets: ports(60, 1), nowMs });
  expect(first.scans.map((it) => [it.mac, it.targets.length])).toEqual([[mac, 60]]);
  expect(suspects(first.senders, count(500), nowMs + reportAgainMs - 1)).toEqual([]);
  const laterMs = nowMs + reportAgainMs;
  expect(suspects(first.senders, count(85), laterMs)).toEqual([mac]);
  const old = ports(60, 1).map((it) => ({ ...it, ageSec: 31 }));
  // In the same second as the report.
  const fresh = (number: number) => ports(number, 31);
  const then = (targets: Parameters<typeof examine>[0]["targets"], senders = first.senders) =>
    examine({ senders, suspected: [mac], counted: count(120), targets, nowMs: laterMs }).scans.map(
      (it) => it.targets.length,
    );
  expect(then([...old, ...fresh(25)])).toEqual([]);
  expect(then([...old, ...fresh(60)])).toEqual([60]);
  // After a restart only the time of the report is known.
  const saved: Senders = new Map([[mac, { examined: 0, reportedMs: nowMs, reported: null }]]);
  expect(then([...old, ...ports(49, 29)], saved)).toEqual([]);
  expect(then([...old, ...ports(50, 29)], saved)).toEqual([50]);
});

test("port scans: a target that the kernel has removed and recorded again is a new one", () => {
  const first = examine({ senders: none, suspected: [mac], counted: count(60), targets: ports(60, 1), nowMs: 0 });
  const again = (nowMs: number) =>
    examine({ ...first, suspected: [mac], counted: count(120), targets: ports(60, 1), nowMs }).scans.length;
  expect([again(900_000), again(900_001)]).toEqual([0, 1]);
});

test("port scans: targets of other senders do not count", () => {
  const targets = [...ports(40, 1), ...ports(40, 1, other)];
  const counted = [...count(40), { mac: other, targets: 40 }];
  expect(examine({ senders: none, suspected: [mac, other], counted, targets, nowMs: 0 }).scans).toEqual([]);
});

test("port scans: a sender is forgotten when the kernel has removed its targets", () => {
  const senders: Senders = new Map([[mac, { examined: 60, reportedMs: 0, reported: null }]]);
  const after = (nowMs: number) => examine({ senders, suspected: [], counted: [], targets: [], nowMs }).senders.size;
  expect([after(900_000), after(900_001)]).toEqual([1, 0]);
});
