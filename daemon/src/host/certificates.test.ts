import { readFileSync } from "node:fs";
import { join } from "node:path";
import { because } from "@portcullis/contract/reason";
import type { EventName } from "@portcullis/contract/events";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { linux } from "../system/system.ts";
import { certificateState, type CertificateState, withoutReplaced } from "./certificates.machine.ts";
import { type CertificateSource, certificateMonitor, type Receiver } from "./certificates.ts";

const day = 86_400_000;
const held = (fromDay: number, untilDay: number, subject = "x") => ({
  id: `${subject} ${untilDay}`,
  subject,
  fromMs: fromDay * day,
  untilMs: untilDay * day,
});

test.each([
  [9.999, "not-yet-valid"],
  [10, "valid"],
  [85.999, "valid"],
  [86, "expiring"],
  [99.999, "expiring"],
  [100, "expired"],
] as const)("certificates: one that is valid from day 10 to day 100 is on day %d %s", (now, state) =>
  expect(certificateState(held(10, 100), now * day)).toBe(state),
);

test("certificates: an old one of the same file and name is replaced by the new one; others are not", () => {
  const [old, next, other] = [held(0, 10, "CA"), held(5, 50, "CA"), held(0, 10, "other")];
  expect(withoutReplaced([old, next, other])).toEqual([next, other]);
  expect(withoutReplaced([old])).toEqual([old]);
});

let ca: string;
let client: string;
/** The moment they were made. */
let madeMs: number;
beforeAll(async () => {
  using folder = temporaryFolder();
  const make = async (name: string, days: number) => {
    const path = join(folder.path, name);
    const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days ${days} -keyout /dev/null`;
    await linux.run("openssl", [...options.split(" "), "-subj", `/O=Provider/CN=${name}`, "-out", path]);
    return readFileSync(path, "utf8");
  };
  ca = await make("authority", 400);
  client = await make("client", 30);
  madeMs = Date.now();
});

function monitor(wasReported = (_id: string, _state: CertificateState) => false) {
  let sources: readonly CertificateSource[] = [];
  let nowMs = madeMs;
  let trouble: ReturnType<typeof because> | undefined;
  let receiver: Receiver | undefined;
  const events: string[] = [];
  const service = certificateMonitor({
    sources: () => sources,
    receiver: () => receiver,
    trouble: () => trouble,
    announce: (name: EventName, payload: object) => {
      const { name: owner, subject, reason } = payload as Readonly<Record<string, string>>;
      events.push([name, owner, subject, reason?.replaceAll(/\d{4}-\S+/g, "DATE")].filter(Boolean).join(" | "));
    },
    wasReported,
    nowMs: () => nowMs,
  });
  const round = (afterDays: number, ...next: readonly CertificateSource[]) => {
    nowMs = madeMs + afterDays * day;
    sources = next;
    service.round();
  };
  return {
    service,
    events,
    round,
    setTrouble: (it: typeof trouble) => void (trouble = it),
    setReceiver: (it: typeof receiver) => void (receiver = it),
  };
}
const source = (owner: string, pem: string): CertificateSource => ({ owner, pem });

test("certificates: one is announced once before and once after it expires, and when it is replaced", () => {
  const { round, events, service } = monitor();
  const both = [source("Oslo (ca)", ca), source("Oslo (cert)", client)];
  round(0, ...both);
  expect(events).toEqual([]);
  expect(service.component()).toMatchObject({
    status: "ok",
    message: expect.stringMatching(
      /^2 certificates are valid; the next one to expire is that of Oslo \(cert\) \(client\), at /,
    ),
  });
  round(17, ...both);
  round(18, ...both);
  const expiring =
    "certificate.expiring | Oslo (cert) | client | The certificate of Oslo (cert) (client) expires at DATE";
  expect(events).toEqual([expiring]);
  expect(service.component()).toMatchObject({
    status: "degraded",
    message: expect.stringContaining("(client) expires at"),
  });
  round(31, ...both);
  round(32, ...both);
  expect(events.slice(1)).toEqual([
    "certificate.expired | Oslo (cert) | client | The certificate of Oslo (cert) (client) expired at DATE",
  ]);
  round(32, both[0]!);
  expect(events.slice(2)).toEqual(["certificate.renewed | Oslo (cert) | client"]);
  expect(service.component()).toMatchObject({ status: "ok" });
});

test("certificates: one with a start in the future is not valid yet, until its time has come", () => {
  const { round, events, service } = monitor();
  round(-2, source("API", ca));
  expect(events).toEqual([
    "certificate.not_yet_valid | API | authority | The certificate of API (authority) is not valid before DATE",
  ]);
  expect(service.component()).toMatchObject({ status: "degraded" });
  round(0, source("API", ca));
  expect(events[1]).toBe("certificate.renewed | API | authority");
});

test("certificates: the same one of two tunnels is one, and has the names of both", () => {
  const { round, events } = monitor();
  round(31, source("Oslo (cert)", client), source("Zurich (cert)", client));
  expect(events).toEqual([
    "certificate.expired | Oslo (cert) | client | The certificate of Oslo (cert), Zurich (cert) (client) expired at DATE",
  ]);
});

test("certificates: every certificate of a chain is read; one that is damaged is reported, and no other", () => {
  const { round, service, events } = monitor();
  const damaged = client.replace(/\n[^\n]{20}/, "\nAAAAAAAAAAAAAAAAAAAA");
  round(0, source("API", ca + client));
  expect(service.component()).toMatchObject({ message: expect.stringMatching(/^2 certificates/) });
  round(0, source("API", ca + damaged));
  expect(service.component()).toMatchObject({
    status: "degraded",
    message: expect.stringContaining("The certificate of API cannot be read: "),
  });
  expect(events).toEqual([]);
});

test("certificates: why the API server keeps its earlier one is reported", () => {
  const { round, service, setTrouble } = monitor();
  round(0, source("API", ca));
  setTrouble(because("certificate_files_unused", { why: "key values mismatch" }));
  expect(service.component()).toMatchObject({
    status: "degraded",
    message: expect.stringContaining("keeps its earlier certificate"),
  });
});

test("certificates: without one the component is off", () => {
  const { round, service } = monitor();
  round(0);
  expect(service.component()).toMatchObject({ status: "off" });
});

const webhook = { id: "1", name: "Hook", type: "webhook", server: "https://hooks.example" };

test("certificates: one of a receiver is known from messages that were sent, and is its own until the channel has another server", () => {
  const { round, events, service, setReceiver } = monitor();
  setReceiver(webhook);
  round(0);
  service.shown(webhook, new Date(madeMs + 9 * day));
  round(0);
  round(1);
  expect(events).toEqual(["certificate.expiring | Hook | webhook | The certificate of Hook (webhook) expires at DATE"]);
  expect(service.isValid("channel:1")).toBe(false);
  service.shown(webhook, new Date(madeMs + 90 * day));
  round(1);
  expect(events[1]).toBe("certificate.renewed | Hook | webhook");
  expect(service.isValid("channel:1")).toBe(true);
  service.shown(webhook, new Date(madeMs + 3 * day));
  round(1);
  setReceiver({ ...webhook, server: "https://other.example" });
  round(1);
  expect(events.slice(2).map((it) => it.split(" | ")[0])).toEqual(["certificate.expiring", "certificate.renewed"]);
});

test("certificates: one of a receiver that was seen valid long ago is not reported, and one that expires is not forgotten", () => {
  const { round, events, service, setReceiver } = monitor();
  setReceiver(webhook);
  service.shown(webhook, new Date(madeMs + 30 * day));
  round(0);
  expect(service.component()).toMatchObject({ status: "ok" });
  round(40);
  expect(events).toEqual([]);
  expect(service.component()).toMatchObject({ status: "off" });
  service.shown(webhook, new Date(madeMs + 50 * day));
  round(40);
  round(400);
  // It may have been renewed since then.
  expect(events).toEqual([expect.stringContaining("certificate.expiring")]);
  expect(service.isValid("channel:1")).toBe(false);
});

test("certificates: a receiver that was refused has one that expired, at its known end or before the refusal", () => {
  const { round, events, service, setReceiver } = monitor();
  setReceiver(webhook);
  round(0);
  service.shown(webhook, "expired");
  round(0);
  const refused =
    "certificate.expired | Hook | webhook | The certificate of Hook (webhook) has expired: its server was refused at DATE";
  expect(events).toEqual([refused]);
  round(1);
  service.shown(webhook, "expired");
  round(1);
  expect(service.component().message).toContain(new Date(madeMs).toISOString());
  service.shown(webhook, new Date(madeMs + 2 * day));
  round(1);
  round(3);
  service.shown(webhook, "expired");
  round(3);
  expect(events.map((it) => it.split(" | ")[0]).slice(1)).toEqual(["certificate.expiring", "certificate.expired"]);
  expect(service.component().message).toContain(`expired at ${new Date(madeMs + 2 * day).toISOString()}`);
});

test("certificates: after a restart that of a receiver is unknown, and not valid, until a message is sent or the channel is gone", () => {
  const { round, service, setReceiver } = monitor();
  setReceiver(webhook);
  round(0);
  expect(service.isValid("channel:1")).toBe(false);
  setReceiver(undefined);
  round(0);
  expect(service.isValid("channel:1")).toBe(true);
});

test("certificates: after a restart one that was reported is not announced again, and one in another state is", () => {
  const { round, events, service } = monitor((_, state) => state === "expiring");
  expect(service.isValid("anything")).toBe(false);
  round(20, source("API", client));
  expect(events).toEqual([]);
  round(31, source("API", client));
  expect(events).toEqual([expect.stringContaining("certificate.expired")]);
  expect(service.isValid("anything")).toBe(true);
});
