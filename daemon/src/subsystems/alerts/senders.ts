import { createHmac } from "node:crypto";
import { because, type Reason, reported } from "@portcullis/contract/reason";
import type { AlertSeverity } from "@portcullis/contract/subsystems/alerts";
import type { ChannelType, PublishedAlertChannel } from "@portcullis/contract/subsystems/alert-channels";
import { brokerOf, type MqttServer, refusalOf } from "../mqtt-broker.ts";
import type { Outcome } from "./delivery.machine.ts";
import { type Message, plainText } from "./messages.ts";
import { hiddenOf, without } from "./redaction.ts";
import { authorization, encrypted, type Subscription } from "./web-push.ts";

type PostWeb = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal;
  readonly onCertificate: (end: CertificateEnd) => void;
}) => Promise<{ readonly status: number; readonly text: string; readonly retryAfter: string | null }>;
type SendMail = (
  mail: {
    readonly host: string;
    readonly port: number;
    readonly security: "starttls" | "tls" | "none";
    readonly login: { readonly username: string; readonly password: string } | null;
    readonly from: string;
    readonly to: readonly string[];
    readonly subject: string;
    readonly text: string;
    readonly messageId: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly date: Date;
    readonly onCertificate: (end: CertificateEnd) => void;
  },
  signal: AbortSignal,
) => Promise<{ readonly answer: string; readonly refused: readonly Refusal[] }>;
/** Publishes one message with QoS 1. */
type PublishOnce = (
  broker: MqttServer & { readonly onCertificate: (end: CertificateEnd) => void },
  message: {
    readonly clientId: string;
    readonly login: { readonly username: string; readonly password: string } | null;
    readonly topic: string;
    readonly payload: string;
  },
  signal: AbortSignal,
) => Promise<void>;
interface Refusal {
  readonly address: string;
  readonly code: number;
  readonly answer: string;
}

/** When the certificate of a receiver expires; "expired": it was refused for that. */
export type CertificateEnd = Date | "expired";

interface Needs {
  readonly postWeb: PostWeb;
  readonly sendMail: SendMail;
  readonly publishOnce: PublishOnce;
  readonly push: {
    readonly key: () => Promise<string>;
    /** Called when the push service reports that the browser does not receive messages any more. */
    readonly onEnded: (channel: PublishedAlertChannel) => Promise<void>;
  };
  /** Called with the certificate of each connection over TLS. */
  readonly onCertificate: (channel: PublishedAlertChannel, end: CertificateEnd) => void;
  readonly nowMs: () => number;
}

interface Sending {
  readonly channel: PublishedAlertChannel;
  readonly secret: string | null;
  readonly message: Message;
  readonly signal: AbortSignal;
}
export type Send = (sending: Sending) => Promise<Outcome>;

/** One attempt to send a message. Nothing that the channel keeps secret is in the outcome. */
export function senders({ sendMail, publishOnce, push, nowMs, ...needs }: Needs): Send {
  const certificateOf = (channel: PublishedAlertChannel) => (end: CertificateEnd) => needs.onCertificate(channel, end);
  const postWeb = (channel: PublishedAlertChannel, request: Omit<Parameters<PostWeb>[0], "onCertificate">) =>
    needs.postWeb({ ...request, onCertificate: certificateOf(channel) });
  /** Who has a message that the server refused for others, for now: they get no copy of each attempt. */
  const recipients = new Map<string, readonly string[]>();
  function remember(delivery: string, addresses: readonly string[]): void {
    recipients.delete(delivery);
    recipients.set(delivery, addresses);
    for (const oldest of recipients.keys()) {
      if (recipients.size <= maxRemembered) break;
      recipients.delete(oldest);
    }
  }
  const types: Readonly<Record<ChannelType, (sending: Sending, show: Show) => Promise<Outcome>>> = {
    webhook: async ({ channel, secret, message, signal }, show) => {
      const { delivery, event: _, ...body } = message;
      const text = JSON.stringify(body);
      const timestamp = String(Math.floor(nowMs() / 1000));
      const headers = {
        ...json,
        "x-portcullis-delivery": delivery,
        "x-portcullis-timestamp": timestamp,
        ...(secret !== null && { "x-portcullis-signature": signatureOf(secret, timestamp, text) }),
      };
      return judged(await postWeb(channel, { url: channel.url!, headers, body: text, signal }), show, nowMs());
    },
    telegram: async ({ channel, secret, message, signal }, show) => {
      const text = `${message.title}\n${plainText(message)}`.slice(0, longestText);
      const body = JSON.stringify({ chat_id: channel.chat_id, text, link_preview_options: { is_disabled: true } });
      const url = `${trimmed(channel.api_url!)}/bot${secret}/sendMessage`;
      return judged(await postWeb(channel, { url, headers: json, body, signal }), show, nowMs());
    },
    email: async ({ channel, secret, message, signal }, show) => {
      const { host, port, security, username, from } = channel;
      const login = loginOf(username, secret);
      const { delivery } = message;
      const had = recipients.get(delivery) ?? [];
      const to = channel.to.filter((it) => !had.includes(it));
      if (to.length === 0) return { kind: "accepted", reason: because("delivery_accepted") };
      const { answer, refused } = await sendMail(
        {
          host: host!,
          port: port!,
          security: security!,
          login,
          from: from!,
          to,
          subject: message.title,
          text: plainText(message),
          messageId: `<${delivery}@portcullis.invalid>`,
          headers: { "Auto-Submitted": "auto-generated", "X-Portcullis-Delivery": delivery },
          date: new Date(nowMs()),
          onCertificate: certificateOf(channel),
        },
        signal,
      );
      if (refused.length === 0) return { kind: "accepted", reason: accepted(show(answer)) };
      const addresses = refused.map((it) => it.address);
      const reason = because("delivery_partial", { addresses, answer: show(refused[0]!.answer) });
      if (refused.every(({ code }) => code >= 500)) return { kind: "refused", reason };
      remember(delivery, [...had, ...to.filter((it) => !addresses.includes(it))]);
      return { kind: "failed", reason };
    },
    ntfy: async ({ channel, secret, message, signal }, show) => {
      const body = JSON.stringify({
        topic: channel.topic,
        title: message.title,
        message: plainText(message),
        priority: message.event === "resolved" ? 2 : priorities[message.severity],
        tags: [message.event === "resolved" ? "white_check_mark" : tags[message.severity], message.rule],
      });
      const headers = { ...json, ...(secret !== null && { authorization: `Bearer ${secret}` }) };
      return judged(await postWeb(channel, { url: channel.url!, headers, body, signal }), show, nowMs());
    },
    mqtt: async ({ channel, secret, message, signal }, show) => {
      const { delivery, ...body } = message;
      const sent = { topic: channel.topic!, payload: JSON.stringify({ delivery_id: delivery, ...body }) };
      const clientId = `portcullis-${delivery.slice(-12)}`;
      const broker = { ...brokerOf(channel), host: channel.host!, onCertificate: certificateOf(channel) };
      try {
        await publishOnce(broker, { clientId, login: loginOf(channel.username, secret), ...sent }, signal);
        return { kind: "accepted", reason: because("delivery_accepted") };
      } catch (error) {
        const { reason, isLogin } = refusalOf(error, show);
        return { kind: isLogin ? "refused" : "failed", reason };
      }
    },
    web_push: async ({ channel, secret, message, signal }, show) => {
      const subscription = JSON.parse(secret!) as Subscription;
      const { endpoint } = subscription;
      const { delivery, id, event, severity, title } = message;
      const body = plainText(message).slice(0, longestPush);
      const content = JSON.stringify({ delivery_id: delivery, id, event, severity, title, body });
      const headers = {
        "user-agent": "portcullis",
        "content-type": "application/octet-stream",
        "content-encoding": "aes128gcm",
        ttl: String(pushKeptSec),
        urgency: severity === "critical" ? "high" : "normal",
        authorization: authorization(await push.key(), { endpoint, nowMs: nowMs(), contact: channel.from }),
      };
      const answer = await postWeb(channel, { url: endpoint, headers, body: encrypted(subscription, content), signal });
      if (!ended.has(answer.status)) return judged(answer, show, nowMs());
      await push.onEnded(channel);
      return { kind: "refused", reason: because("push_ended") };
    },
  };
  return async (sending) => {
    const hidden = hiddenOf(sending.channel, sending.secret);
    const show: Show = (text) => without(hidden, text);
    try {
      return await types[sending.channel.type](sending, show);
    } catch (error) {
      const { code, message } = error as { readonly code?: unknown; readonly message: string };
      const reason = reported(show(message));
      // The answer of a mail server: from 500 on it is final (RFC 5321, 4.2.1).
      return typeof code === "number" && code >= 500 ? { kind: "refused", reason } : { kind: "failed", reason };
    }
  };
}

const maxRemembered = 100;

/** RFC 8030, 7.3: the subscription does not exist, or not any more. */
const ended: ReadonlySet<number> = new Set([404, 410]);
/** How long a push service keeps a message for a browser that is not connected. */
const pushKeptSec = 3 * 86_400;
/** A message has at most 4096 bytes, and a character up to six in JSON. */
const longestPush = 500;

const loginOf = (username: string | null, password: string | null) =>
  username === null || password === null ? null : { username, password };

type Show = (text: string) => string;

/** What a receiver compares: over the time and the body, so that an old message cannot be sent again later. */
export const signatureOf = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;

const json = { "content-type": "application/json", "user-agent": "portcullis" };
const trimmed = (url: string): string => url.replace(/\/+$/, "");
/** The Bot API accepts 4096 characters. */
const longestText = 4000;
const priorities: Readonly<Record<AlertSeverity, number>> = { critical: 5, warning: 4, info: 3 };
const tags: Readonly<Record<AlertSeverity, string>> = {
  critical: "rotating_light",
  warning: "warning",
  info: "information_source",
};

const accepted = (answer: string): Reason =>
  answer === "" ? because("delivery_accepted") : because("delivery_answered", { answer });

/** Of the refusals with 4xx only these may be accepted later. */
const temporary: ReadonlySet<number> = new Set([408, 425, 429]);

function judged({ status, text, retryAfter }: Awaited<ReturnType<PostWeb>>, show: Show, nowMs: number): Outcome {
  const answer = show(text);
  if (status >= 200 && status < 300) return { kind: "accepted", reason: accepted(answer) };
  const reason =
    answer === "" ? because("delivery_status", { status }) : because("delivery_status_answer", { status, answer });
  if (status >= 400 && status < 500 && !temporary.has(status)) return { kind: "refused", reason };
  const retryAfterMs = inBody(text) ?? inHeader(retryAfter, nowMs);
  return { kind: "failed", reason, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** The Bot API puts it into the body. */
function inBody(text: string): number | undefined {
  try {
    const { parameters } = JSON.parse(text) as { parameters?: { retry_after?: unknown } };
    const seconds = parameters?.retry_after;
    return typeof seconds === "number" && seconds >= 0 ? seconds * 1000 : undefined;
  } catch {
    return undefined; // Not JSON: the answer of another program.
  }
}

/** Seconds, or a date. */
function inHeader(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return ms >= 0 ? ms : undefined;
}
