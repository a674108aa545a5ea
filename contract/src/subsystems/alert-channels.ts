import Type, { type Static } from "typebox";
import { closed, collection, Deleted, optionals, pageOf } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import {
  DiscardedSecrets,
  Id,
  IdOrName,
  Name,
  named,
  Nullable,
  OneOf,
  optionalReasonFields,
  reasonFields,
  secret,
  TimeOfDay,
  Timestamp,
} from "../values.ts";
import { AlertRuleWord, AlertSeverity } from "./alerts.ts";
import { brokerForms } from "./mqtt.ts";

export const channelTypes = ["webhook", "telegram", "email", "ntfy", "mqtt", "web_push"] as const;
const ChannelType = OneOf(channelTypes);
export type ChannelType = Static<typeof ChannelType>;

/** Forms that settings are checked with, too. */
export const channelForms = {
  url: "^https?://[^\\s\\p{Cc}@#]+$",
  botToken: "^[0-9]{1,20}:[A-Za-z0-9_-]{1,200}$",
  chat: "^(-?[0-9]{1,20}|@[A-Za-z0-9_]{1,64})$",
};
const baseUrl = "^https?://[^\\s\\p{Cc}@?#]+$";
const line = "^[^\\p{Cc}\\p{Cs}]+$";
const MailAddress = Type.String({
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]+$",
});

const Severities = Type.Array(AlertSeverity, {
  maxItems: 3,
  uniqueItems: true,
  description: "Alerts of these severities are sent; critical and warning unless given",
});
const QuietHours = Nullable(
  closed({
    from: { ...TimeOfDay, description: "Start, in the time zone of the gateway" },
    to: { ...TimeOfDay, description: "End; before the start: on the next day" },
  }),
);

const delivery = {
  enabled: Type.Boolean({ description: "false: nothing is sent, and new alerts do not wait" }),
  severities: Severities,
  quiet_hours: {
    ...QuietHours,
    description: "Between these times only critical alerts are sent; the others wait for the end. null: none",
  },
};

const settings = {
  ...delivery,
  url: Nullable(
    Type.String({
      maxLength: 2048,
      pattern: channelForms.url,
      description: "webhook: the URL of the receiver; ntfy: the URL of the server",
    }),
  ),
  chat_id: Nullable(
    Type.String({
      maxLength: 65,
      pattern: channelForms.chat,
      description: "telegram: number of the chat, or @channel",
    }),
  ),
  api_url: Nullable(
    Type.String({
      maxLength: 2048,
      pattern: baseUrl,
      description: "telegram: URL of the Bot API, that of Telegram unless given",
    }),
  ),
  host: Nullable(Type.String({ ...brokerForms.host, description: "email: the mail server; mqtt: the broker" })),
  port: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description: "email: 587 unless given, with tls 465, with none 25; mqtt: 8883, with none 1883",
    }),
  ),
  security: Nullable(
    OneOf(["starttls", "tls", "none"], {
      description:
        "email: starttls unless given; mqtt: tls unless given, or none; none: message and password are sent in the clear",
    }),
  ),
  ca: Nullable(
    Type.String({
      ...brokerForms.ca,
      description: "mqtt: certificates in PEM form that are trusted in place of those of the system",
    }),
  ),
  username: Nullable(
    Type.String({ minLength: 1, maxLength: 255, pattern: line, description: "email and mqtt: the account" }),
  ),
  from: Nullable({
    ...MailAddress,
    description: "email: address of the sender; web_push: whom the push service may ask about the messages",
  }),
  to: Type.Array(MailAddress, { maxItems: 20, uniqueItems: true, description: "email: addresses of the recipients" }),
  topic: Nullable(
    Type.String({
      ...brokerForms.topic,
      description: "ntfy: the topic, which is a secret if it is public; mqtt: the topic, which may have slashes",
    }),
  ),
};

const SecretLine = (maxLength: number, description: string, sentTo: readonly string[]) =>
  Nullable(Type.String({ minLength: 1, maxLength, pattern: line, description, ...secret(...sentTo) }));
const secretFields = {
  secret: SecretLine(255, "webhook: key of the signature. Write-only", ["url"]),
  bot_token: Nullable(
    Type.String({
      maxLength: 222,
      pattern: channelForms.botToken,
      description: "telegram: token of the bot. Write-only",
      ...secret("api_url"),
    }),
  ),
  password: SecretLine(255, "email and mqtt: password of the account. Write-only", ["host", "port", "security", "ca"]),
  token: SecretLine(255, "ntfy: access token. Write-only", ["url"]),
  subscription: Nullable({
    ...closed({
      endpoint: Type.String({
        maxLength: 2048,
        pattern: "^https://[^\\s\\p{Cc}@#]+$",
        description: "URL of the push service for this browser",
      }),
      keys: closed({
        p256dh: Type.String({ pattern: "^B[A-Za-z0-9_-]{86}$", description: "Public key of the browser" }),
        auth: Type.String({ pattern: "^[A-Za-z0-9_-]{22}$", description: "Authentication secret of the browser" }),
      }),
    }),
    description: "web_push: what the browser has subscribed to. Write-only",
    ...secret(),
  }),
};

/** The write-only field of each type. */
export const channelSecrets = {
  webhook: "secret",
  telegram: "bot_token",
  email: "password",
  ntfy: "token",
  mqtt: "password",
  web_push: "subscription",
} as const satisfies Record<ChannelType, keyof typeof secretFields>;

const storedFields = {
  id: Id,
  name: Name,
  type: ChannelType,
  ...settings,
  has_secret: Type.Boolean({ description: "Whether its secret, bot token, password, token or subscription is stored" }),
  ended_at: Nullable({
    ...Timestamp,
    description:
      "web_push: when the push service reported that the browser has ended the subscription, which was deleted and the channel disabled; null: it did not",
  }),
};
const Stored = Type.Object(storedFields);
/** The published part of a channel. Its secret is the sealed value. */
export type PublishedAlertChannel = Readonly<Static<typeof Stored>> & {
  readonly secret: { readonly id: string; readonly version: number } | null;
};

const countFields = {
  waiting: Type.Integer({ description: "Messages that wait" }),
  dropped: Type.Integer({ description: "Messages that were discarded since it exists, because 1,000 were waiting" }),
  accepted_at: Nullable({ ...Timestamp, description: "When the receiver last accepted a message" }),
};

export const AlertChannel = named(
  "AlertChannel",
  Type.Object({ ...storedFields, ...countFields, discarded_secrets: DiscardedSecrets }),
);
export type AlertChannel = Readonly<Static<typeof AlertChannel>>;

const ChannelTest = named(
  "AlertChannelTest",
  Type.Object({
    accepted: Type.Boolean({ description: "Whether the receiver accepted the message" }),
    ...reasonFields("What the receiver answered, as a sentence"),
  }),
);
export type ChannelTest = Readonly<Static<typeof ChannelTest>>;

export const alertChannels = {
  ...collection({
    path: "/alert-channels",
    noun: "alert channel",
    resource: AlertChannel,
    required: { name: Name, type: ChannelType },
    optional: { ...settings, ...secretFields },
    cli: "alert-channels",
    columns: ["id", "name", "type", "enabled", "severities", "waiting", "accepted_at"],
    read: "operator",
    change: "admin",
    createErrors: ["secrets_undecipherable"],
  }),
  test: endpoint({
    method: "POST",
    path: "/alert-channels/{id}/test",
    role: "operator",
    summary: "Send a synthetic alert now, and show what the receiver answered",
    description:
      "It is sent once, also in quiet hours and by a channel that is not enabled. The answer takes up to 15 s.",
    params: Type.Object({ id: IdOrName("alert_channel", "alert channel") }),
    result: ChannelTest,
    errors: ["not_found", "secrets_undecipherable"],
    audit: { verb: "test", noun: "alert_channel" },
    cli: { words: ["alert-channels", "test"], args: ["id"] },
  }),
};

const DeliveryState = OneOf(["waiting", "delivered", "given_up"]);

export const AlertDelivery = named(
  "AlertDelivery",
  Type.Object({
    id: { ...Id, description: "The same in every copy of the message: receivers recognize a repetition by it" },
    channel_id: Id,
    channel_name: Type.String(),
    alert_id: Id,
    rule: AlertRuleWord,
    severity: AlertSeverity,
    resource_name: Type.String({ description: "What the alert is about; empty: the gateway" }),
    event: OneOf(["raised", "resolved"]),
    state: DeliveryState,
    attempts: Type.Integer(),
    created_at: Timestamp,
    next_attempt_at: Nullable({
      ...Timestamp,
      description: "Not before this time, and not before the messages before it; null: it does not wait",
    }),
    finished_at: Nullable({ ...Timestamp, description: "When it was accepted or given up" }),
    ...optionalReasonFields("Why the last attempt failed, as a sentence; empty: none failed"),
  }),
);
export type AlertDelivery = Readonly<Static<typeof AlertDelivery>>;

const deliveryParams = Type.Object({ id: Id });

export const alertDeliveries = {
  list: endpoint({
    method: "GET",
    path: "/alert-deliveries",
    role: "operator",
    summary: "Messages about alerts, newest first: waiting, delivered and given up",
    description: "Of each channel the 1,000 latest that do not wait are kept, for 30 days.",
    query: pageOf({ channel_id: IdOrName("alert_channel", "alert channel"), state: DeliveryState }),
    result: Type.Array(AlertDelivery),
    paged: true,
    errors: [],
    cli: {
      words: ["alert-deliveries", "list"],
      columns: ["id", "channel_name", "rule", "event", "state", "attempts", "next_attempt_at", "reason"],
    },
  }),
  retry: endpoint({
    method: "POST",
    path: "/alert-deliveries/{id}/retry",
    role: "operator",
    summary: "Send a message again that was given up, or one that waits for its next attempt now",
    params: deliveryParams,
    result: AlertDelivery,
    errors: ["not_found", "conflict"],
    audit: { verb: "retry", noun: "alert_delivery" },
    cli: { words: ["alert-deliveries", "retry"], args: ["id"] },
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/alert-deliveries/{id}",
    role: "operator",
    summary: "Delete a message: one that waits is not sent",
    params: deliveryParams,
    result: Deleted,
    errors: ["not_found"],
    audit: { verb: "delete", noun: "alert_delivery" },
    cli: { words: ["alert-deliveries", "delete"], args: ["id"] },
  }),
};

const PushKey = named(
  "WebPushKey",
  Type.Object({ public_key: Type.String({ description: "The applicationServerKey of a subscription, in base64url" }) }),
);

/** Messages to browsers. */
export const webPush = {
  key: endpoint({
    method: "POST",
    path: "/alerts/web-push/key",
    role: "admin",
    summary: "Show the key that a browser subscribes with; it is made with the first call",
    result: PushKey,
    errors: ["change_pending", "secrets_undecipherable"],
    audit: { verb: "show", noun: "web_push_key" },
  }),
};

const webhookFields = { ...delivery, url: settings.url };

const AlertWebhook = named(
  "AlertWebhook",
  Type.Object({
    id: Nullable({ ...Id, description: "Of the channel with the name webhook; null: there is none" }),
    ...webhookFields,
    has_secret: Type.Boolean(),
    discarded_secrets: DiscardedSecrets,
  }),
);
export type AlertWebhook = Readonly<Static<typeof AlertWebhook>>;

/** The channel with the name webhook, at the place where the specification has it. */
export const alertWebhook = {
  get: endpoint({
    method: "GET",
    path: "/alerts/webhook",
    role: "operator",
    summary: "The default webhook: the alert channel with the name webhook",
    result: AlertWebhook,
    errors: [],
    cli: { words: ["alerts", "webhook"] },
  }),
  put: endpoint({
    method: "PUT",
    path: "/alerts/webhook",
    role: "admin",
    summary: "Set or change the default webhook",
    description: "Fields that are not given keep their value. Without a URL the channel is deleted.",
    body: named("AlertWebhookUpdate", closed(optionals({ ...webhookFields, secret: secretFields.secret }))),
    result: AlertWebhook,
    errors: ["conflict", "change_pending", "limit_reached", "secrets_undecipherable"],
    audit: { verb: "update", noun: "alert_channel" },
  }),
  test: endpoint({
    method: "POST",
    path: "/alerts/webhook/test",
    role: "operator",
    summary: "Send a synthetic alert to the default webhook now",
    result: ChannelTest,
    errors: ["not_found", "secrets_undecipherable"],
    audit: { verb: "test", noun: "alert_channel" },
  }),
};
