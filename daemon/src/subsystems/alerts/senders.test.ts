import { because, type Reason } from "@portcullis/contract/reason";
import type { PublishedAlertChannel } from "@portcullis/contract/subsystems/alert-channels";
import { expect, test } from "vitest";
import { alertAt } from "../../../../testing/earlier-state.ts";
import { messageOf } from "./messages.ts";
import { hiddenOf, without } from "./redaction.ts";
import { senders } from "./senders.ts";

const nowMs = Date.parse("2030-01-01T00:00:00Z");
const nodeId = "00000000-0000-4000-8000-0000000000ff";
const channel: PublishedAlertChannel = {
  id: "c",
  name: "Ops",
  type: "webhook",
  enabled: true,
  severities: ["critical"],
  quiet_hours: null,
  url: "https://receiver.example/hooks/T0k%20en?key=k3y-value",
  chat_id: null,
  api_url: null,
  host: null,
  port: null,
  security: null,
  ca: null,
  username: null,
  from: null,
  to: [],
  topic: null,
  has_secret: true,
  ended_at: null,
  secret: null,
};
const about = {
  delivery: "00000000-0000-4000-8000-0000000000aa",
  event: "raised" as const,
  alert: {
    ...alertAt(nowMs, 1, because("alert_tunnel_down", { name: "Köln" })),
    rule: "tunnel-down" as const,
    resource: { type: "tunnel", id: "t", name: "Köln" },
  },
};

test("messages: raised and resolved ones have a title and a sentence, and a reason of another version is no error", () => {
  const raised = messageOf(about, nodeId);
  expect(raised).toMatchObject({ title: "Warning: tunnel-down (Köln)", message: "Tunnel Köln is down" });
  const alert = { ...about.alert, resolved: { ms: nowMs, by: "system" } };
  expect(messageOf({ ...about, event: "resolved", alert }, nodeId)).toMatchObject({
    title: "Resolved: tunnel-down (Köln)",
    message: "It is over: tunnel Köln is down",
    state: "resolved",
  });
  const unknown = { code: "reason_of_later", params: {} } as unknown as Reason;
  const later = messageOf({ ...about, alert: { ...about.alert, reason: unknown } }, nodeId);
  expect(later.message).toBe("tunnel-down");
});

test("redaction: secret, path, query and topic are replaced in every form, and the rest stays", () => {
  const hidden = hiddenOf({ ...channel, topic: "my-topic" }, "s3cret/+");
  const text = [
    "kept",
    "/hooks/T0k%20en",
    "T0k en",
    "k3y-value",
    "s3cret/+",
    encodeURIComponent("s3cret/+"),
    Buffer.from("s3cret/+").toString("base64"),
    "my-topic",
    "two\r\nlines\u0007",
  ].join(" | ");
  expect(without(hidden, text)).toBe("kept | … | … | … | … | … | … | … | two lines");
  expect(without([], "x".repeat(1000))).toHaveLength(301);
  expect(without(hiddenOf({ ...channel, url: "https://receiver.example/" }, null), "a / b")).toBe("a / b");
});

test.each([
  [200, "accepted"],
  [204, "accepted"],
  [301, "failed"],
  [400, "refused"],
  [404, "refused"],
  [408, "failed"],
  [425, "failed"],
  [429, "failed"],
  [500, "failed"],
  [503, "failed"],
])("senders: an answer of %i means %s", async (status, kind) => {
  const send = sending({ status });
  expect((await send()).kind).toBe(kind);
});

const sending =
  (
    answer: { status: number; text?: string; retryAfter?: string | null },
    changes: Partial<PublishedAlertChannel> = {},
  ) =>
  () =>
    senders({
      postWeb: () => Promise.resolve({ text: "", retryAfter: null, ...answer }),
      sendMail: () => Promise.reject(new Error("unused")),
      publishOnce: () => Promise.reject(new Error("unused")),
      push: { key: () => Promise.reject(new Error("unused")), onEnded: () => Promise.resolve() },
      onCertificate: () => {},
      nowMs: () => nowMs,
    })({
      channel: { ...channel, ...changes },
      secret: "s3cret",
      message: messageOf(about, nodeId),
      signal: AbortSignal.timeout(1000),
    });

test("senders: the wait that a receiver requests is read from the header and from the body", async () => {
  expect(await sending({ status: 429, retryAfter: "7" })()).toMatchObject({ retryAfterMs: 7000 });
  const date = new Date(nowMs + 9000).toUTCString();
  expect(await sending({ status: 503, retryAfter: date })()).toMatchObject({ retryAfterMs: 9000 });
  const text = JSON.stringify({ parameters: { retry_after: 31 } });
  expect(await sending({ status: 429, text })()).toMatchObject({ retryAfterMs: 31_000 });
  for (const retryAfter of ["soon", "-3", null])
    expect(await sending({ status: 429, retryAfter })()).not.toHaveProperty("retryAfterMs");
});

test("senders: a failure of the network is shown without what is secret", async () => {
  const send = senders({
    postWeb: ({ url }) => Promise.reject(new Error(`no route to ${url} with s3cret`)),
    sendMail: () => Promise.reject(new Error("unused")),
    publishOnce: () => Promise.reject(new Error("unused")),
    push: { key: () => Promise.reject(new Error("unused")), onEnded: () => Promise.resolve() },
    onCertificate: () => {},
    nowMs: () => nowMs,
  });
  const { kind, reason } = await send({
    channel,
    secret: "s3cret",
    message: messageOf(about, nodeId),
    signal: AbortSignal.timeout(1000),
  });
  expect([kind, reason]).toEqual([
    "failed",
    because("reported", { message: "no route to https://receiver.example… with …" }),
  ]);
});

test("senders: recipients that were refused for now are tried again alone, until none is left", async () => {
  const sent: (readonly string[])[] = [];
  const refusals = [
    [{ address: "later@example.net", code: 450, answer: "450 greylisted" }],
    [{ address: "later@example.net", code: 550, answer: "550 unknown" }],
  ];
  const send = senders({
    postWeb: () => Promise.reject(new Error("unused")),
    publishOnce: () => Promise.reject(new Error("unused")),
    push: { key: () => Promise.reject(new Error("unused")), onEnded: () => Promise.resolve() },
    sendMail: ({ to }) => {
      sent.push(to);
      return Promise.resolve({ answer: "250 OK", refused: refusals[sent.length - 1] ?? [] });
    },
    onCertificate: () => {},
    nowMs: () => nowMs,
  });
  const to = ["later@example.net", "b@example.net"];
  const email = {
    type: "email",
    url: null,
    host: "mail.example",
    port: 587,
    security: "starttls",
    from: "a@b.c",
  } as const;
  const attempt = () =>
    send({
      channel: { ...channel, ...email, to },
      secret: null,
      message: messageOf(about, nodeId),
      signal: AbortSignal.timeout(1000),
    });
  expect([(await attempt()).kind, (await attempt()).kind]).toEqual(["failed", "refused"]);
  expect(sent).toEqual([to, ["later@example.net"]]);
});
