import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { until } from "../../../../testing/deadline.ts";
import { alertAt, alertId, folderWith } from "../../../../testing/earlier-state.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { openReceiver } from "../../../../testing/receiver.ts";
import { signatureOf } from "./senders.ts";

const reason = because("alert_drift", { first: "table", items: 2 });

/** A gateway with nine alerts. Resolving one is a message. */
function withAlerts(changes: { now?: () => Date; severities?: readonly ("critical" | "warning")[] } = {}) {
  const { now = () => new Date(), severities = [] } = changes;
  const alerts = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => ({
    ...alertAt(now().getTime(), number, reason),
    severity: severities[number - 1] ?? ("warning" as const),
  }));
  return startGateway({ folder: folderWith({ alerts }), now });
}
const resolve = (gateway: TestGateway, number: number) =>
  gateway.client.alerts.resolve({ params: { id: alertId(number) } });
const listed = async (gateway: TestGateway) => (await gateway.client.alertDeliveries.list()).items.toReversed();
const statesOf = async (gateway: TestGateway) => (await listed(gateway)).map(({ state }) => state);
const component = async (gateway: TestGateway) =>
  (await gateway.client.status.observer()).components.find(({ name }) => name === "alerts")!;
const codeOf = async (gateway: TestGateway) => (await component(gateway)).coded_message.code;

test("channels: a webhook receives the alert with its id and a signature, and the status of the gateway reports it", async () => {
  await using receiver = await openReceiver();
  await using gateway = await withAlerts();
  expect(await codeOf(gateway)).toBe("alert_channels_none");
  const url = `${receiver.url}/hooks/T0ken?key=abc`;
  const channel = await gateway.client.alertChannels.create({
    body: { name: "Ops", type: "webhook", url, secret: "between us" },
  });
  expect(channel).toMatchObject({ enabled: true, severities: ["critical", "warning"], has_secret: true, waiting: 0 });
  expect(await codeOf(gateway)).toBe("alert_channels_unused");
  await resolve(gateway, 1);
  await until("it is received", async () => receiver.received.length > 0);
  const [{ url: path, headers, body }] = receiver.received as [(typeof receiver.received)[0]];
  expect(path).toBe("/hooks/T0ken?key=abc");
  const { value: node_id } = await gateway.client.settings.get({ params: { key: "node_id" } });
  expect(JSON.parse(body)).toMatchObject({
    id: alertId(1),
    rule: "drift-detected",
    severity: "warning",
    state: "resolved",
    title: "Resolved: drift-detected",
    message: expect.stringContaining("It is over: another program changed"),
    resource_type: null,
    resource_id: null,
    resource_name: "",
    raised_at: expect.stringContaining("T"),
    node_id,
    details: { event: "resolved", count: 1 },
  });
  const timestamp = String(headers["x-portcullis-timestamp"]);
  expect(headers["x-portcullis-signature"]).toBe(signatureOf("between us", timestamp, body));
  await until("it is delivered", async () => (await statesOf(gateway)).join() === "delivered");
  expect(await listed(gateway)).toMatchObject([
    { id: headers["x-portcullis-delivery"], channel_name: "Ops", event: "resolved", attempts: 1, reason: "" },
  ]);
  expect(await codeOf(gateway)).toBe("alert_channels_working");
});

test("channels: a message that is refused is given up at once, can be sent again, and the answer has nothing that is secret", async () => {
  await using receiver = await openReceiver((got) => ({
    status: 403,
    text: `no ${got.url} ${String(got.headers["x-portcullis-signature"])} hush-hush`,
  }));
  await using gateway = await withAlerts();
  const body = { name: "Ops", type: "webhook", url: `${receiver.url}/hooks/T0ken`, secret: "hush-hush" } as const;
  await gateway.client.alertChannels.create({ body });
  await resolve(gateway, 1);
  await until("it is given up", async () => (await statesOf(gateway)).join() === "given_up");
  const [given] = await listed(gateway);
  expect(given).toMatchObject({ attempts: 1, coded_reason: { code: "delivery_status_answer" }, next_attempt_at: null });
  expect(given!.reason).toMatch(/^The receiver answered 403: no … sha256=[0-9a-f]+ …$/);
  expect(await component(gateway)).toMatchObject({
    status: "degraded",
    coded_message: { code: "alert_channels_refused" },
  });
  receiver.answer(() => ({ status: 204 }));
  await gateway.client.alertDeliveries.retry({ params: { id: given!.id } });
  await until("it is delivered", async () => (await statesOf(gateway)).join() === "delivered");
  expect(receiver.received.map(({ headers }) => headers["x-portcullis-delivery"])).toEqual([given!.id, given!.id]);
  expect(await codeOf(gateway)).toBe("alert_channels_working");
  const again = await gateway.request("POST", `/alert-deliveries/${given!.id}/retry`);
  expect([again.status, again.json().error.code]).toEqual([409, "conflict"]);
});

test("channels: messages are sent in order, one at a time, and a channel that fails does not delay another", async () => {
  await using failing = await openReceiver(() => ({ status: 503 }));
  await using working = await openReceiver();
  await using gateway = await withAlerts();
  const { alertChannels } = gateway.client;
  await alertChannels.create({ body: { name: "Down", type: "webhook", url: failing.url } });
  const up = await alertChannels.create({ body: { name: "Up", type: "webhook", url: working.url } });
  for (const number of [3, 1, 2]) await resolve(gateway, number);
  await until("the other channel has all", async () => working.received.length === 3);
  expect(working.received.map((it) => it.json().id)).toEqual([3, 1, 2].map(alertId));
  await until("the failing one was tried", async () => failing.received.length > 0);
  expect(new Set(failing.received.map((it) => it.json().id))).toEqual(new Set([alertId(3)]));
  await until("the failure is reported", async () => (await codeOf(gateway)) === "alert_channels_failing");
  failing.answer(() => ({}));
  await until("it has all", async () => new Set(failing.received.map((it) => it.json().id)).size === 3, 20);
  const first = [...new Set(failing.received.map((it) => it.json().id))];
  expect(first).toEqual([3, 1, 2].map(alertId));
  await alertChannels.remove({ params: { id: up.id } });
  await until("its messages are gone", async () => (await listed(gateway)).length === 3);
});

test("channels: in quiet hours critical alerts are sent at once, and the others when the hours are over", async () => {
  await using receiver = await openReceiver();
  const clock = { now: new Date(2030, 0, 1, 23, 0).getTime() };
  await using gateway = await withAlerts({
    now: () => new Date(clock.now),
    severities: ["warning", "critical", "warning"],
  });
  const quiet_hours = { from: "22:00", to: "07:00" };
  await gateway.client.alertChannels.create({ body: { name: "Ops", type: "webhook", url: receiver.url, quiet_hours } });
  for (const number of [1, 2, 3]) await resolve(gateway, number);
  await until("the critical one is received", async () => receiver.received.length > 0);
  await until("it is delivered", async () => (await statesOf(gateway)).join() === "waiting,delivered,waiting");
  clock.now = new Date(2030, 0, 2, 7, 0).getTime();
  await gateway.client.alertChannels.update({
    params: { id: "Ops" },
    body: { enabled: true, severities: ["warning"] },
  });
  await until("the others are received", async () => receiver.received.length === 3);
  expect(receiver.received.map((it) => it.json().id)).toEqual([2, 1, 3].map(alertId));
});

test("channels: only alerts of the given severities are sent, and none by a channel that is not enabled", async () => {
  await using receiver = await openReceiver();
  await using gateway = await withAlerts({ severities: ["critical"] });
  const { alertChannels } = gateway.client;
  const url = receiver.url;
  await alertChannels.create({ body: { name: "Off", type: "webhook", url: `${url}/off`, enabled: false } });
  await alertChannels.create({ body: { name: "Some", type: "webhook", url: `${url}/some`, severities: ["critical"] } });
  await resolve(gateway, 2);
  await resolve(gateway, 1);
  await until("one is received", async () => receiver.received.length > 0);
  expect(receiver.received.map((it) => [it.url, it.json().id])).toEqual([["/some", alertId(1)]]);
  expect(await listed(gateway)).toHaveLength(1);
});

test("channels: a test is sent now, and shows what the receiver answered", async () => {
  await using receiver = await openReceiver(() => ({ text: "thank you" }));
  await using gateway = await withAlerts();
  const { alertChannels } = gateway.client;
  const { id } = await alertChannels.create({ body: { name: "Ops", type: "webhook", url: receiver.url } });
  expect(await alertChannels.test({ params: { id: "ops" } })).toMatchObject({
    accepted: true,
    reason: "The receiver accepted the message: thank you",
  });
  expect(receiver.received[0]!.json()).toMatchObject({ rule: "test", severity: "info", resource_name: "Ops" });
  expect(await codeOf(gateway)).toBe("alert_channels_working");
  receiver.answer(() => ({ status: 301, headers: { location: `${receiver.url}/elsewhere` } }));
  expect(await alertChannels.test({ params: { id } })).toMatchObject({ accepted: false });
  expect(receiver.received.map(({ url }) => url)).toEqual(["/", "/"]);
  expect(await component(gateway)).toMatchObject({ status: "degraded" });
  expect(await listed(gateway)).toEqual([]);
});
