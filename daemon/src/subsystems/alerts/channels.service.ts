import type { InputOf, Page } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import {
  type alertChannels,
  channelSecrets,
  type ChannelType,
  type PublishedAlertChannel,
} from "@portcullis/contract/subsystems/alert-channels";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { serial } from "../../system/async.ts";
import { nameKey } from "../lookup.ts";
import { found, given, newId, pageOf, refuseField } from "../resources.ts";
import { type SecretKeeping, sealedResource } from "../sealed.ts";
import { brokerOf } from "../mqtt-broker.ts";
import { neededAgain, secretAfter } from "../sent-secrets.ts";
import { fixedTypes } from "./fixed-names.ts";
import { isPublicKey, type Subscription } from "./web-push.ts";

type CreateBody = InputOf<typeof alertChannels.create>["body"];
type UpdateBody = InputOf<typeof alertChannels.update>["body"];
type ListQuery = InputOf<typeof alertChannels.list>["query"];

export type Channel = PublishedAlertChannel;
export type Channels = ReturnType<typeof channelService>;

interface Needs {
  readonly ledger: Ledger;
  readonly secrets: SecretKeeping;
}

/** A changed channel, and the names of the secrets that the change discarded. */
export interface Saved {
  readonly channel: Channel;
  readonly discarded: readonly string[];
}

/** Where alerts are sent. */
export function channelService({ ledger, secrets }: Needs) {
  const collection = ledger.staged<Channel>("alert_channel");
  const sealed = sealedResource<Channel>({ ledger, secrets, kind: "alert_channel" });
  const inTurn = serial();

  async function save(cause: Cause, before: Channel | undefined, base: Channel, body: UpdateBody): Promise<Saved> {
    const { type } = base;
    refuseForeign(type, body);
    const field = channelSecrets[type];
    const requested = withoutSecrets(body);
    const wanted = normalize({ ...base, ...given(requested) });
    const { change, isStored, isDiscarded } = secretAfter({
      requested: secretText(body[field]),
      isStored: base.has_secret,
      before: destinationOf(base),
      after: destinationOf(wanted),
    });
    const ended_at = change.kind === "seal" ? null : wanted.ended_at;
    const adjusted = {
      ...wanted,
      has_secret: isStored,
      ended_at,
      ...(isDiscarded && withoutDiscarded(wanted, requested)),
    };
    refuseIncomplete(adjusted, isDiscarded);
    const details = { discarded_secrets: [field] };
    const channel = await sealed.put(cause, before, adjusted, isDiscarded ? { kind: "discard", details } : change);
    return { channel, discarded: isDiscarded ? [field] : [] };
  }

  return {
    list: (): readonly Channel[] => collection.all(),
    page: (query: ListQuery): Page<Channel> => pageOf(collection, query),
    find: (id: string): Channel | undefined => collection.get(id),
    get: (id: string): Channel => found(collection, "alert channel", id),
    /** null: it has no secret. */
    reveal: ({ secret }: Channel): Promise<string | null> =>
      secret === null ? Promise.resolve(null) : secrets.revealFor(secret),
    create: (cause: Cause, body: CreateBody): Promise<Saved> =>
      inTurn(() => {
        const { name, type } = body;
        if (collection.count() >= maxChannels)
          throw new Problem("limit_reached", { limit: maxChannels, of: "alert channels" });
        return save(cause, undefined, { ...blank, ...defaults[type], id: newId(), name, type }, body);
      }),
    update: (cause: Cause, id: string, body: UpdateBody): Promise<Saved> =>
      inTurn(() => {
        const before = found(collection, "alert channel", id);
        if (body.type !== undefined && body.type !== before.type)
          refuseField("type", "cannot change; make another channel");
        return save(cause, before, before, body);
      }),
    /** The subscription is of no use any more. Another one that it has meanwhile stays. */
    endSubscription: ({ id, secret }: Channel, ended_at: string): Promise<void> =>
      inTurn(async () => {
        const before = collection.get(id);
        if (before?.secret?.version !== secret?.version || !before?.secret) return;
        await sealed.put(
          ending,
          before,
          { ...before, enabled: false, has_secret: false, ended_at },
          { kind: "forget" },
        );
      }),
    remove: (cause: Cause, id: string): void => sealed.remove(cause, id),
  };
}

const ending: Cause = { actor: "system", action: "end_subscription", resourceType: "alert_channel" };

/** Each sends at the same time. */
const maxChannels = 50;

const blank: Omit<Channel, "id" | "name" | "type"> = {
  enabled: true,
  severities: ["critical", "warning"],
  quiet_hours: null,
  url: null,
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
  has_secret: false,
  ended_at: null,
  secret: null,
};

const defaults: Readonly<Record<ChannelType, Partial<Channel>>> = {
  webhook: {},
  telegram: { api_url: "https://api.telegram.org" },
  email: { security: "starttls" },
  ntfy: { url: "https://ntfy.sh" },
  mqtt: { security: "tls" },
  web_push: {},
};

const fieldsOf: Readonly<Record<ChannelType, readonly (keyof Channel)[]>> = {
  webhook: ["url"],
  telegram: ["chat_id", "api_url"],
  email: ["host", "port", "security", "username", "from", "to"],
  ntfy: ["url", "topic"],
  mqtt: ["host", "port", "security", "ca", "username", "topic"],
  web_push: ["from"],
};
const everyField = new Set(Object.values(fieldsOf).flat());

/** Fields of another type would be stored and have no effect. */
function refuseForeign(type: ChannelType, body: UpdateBody): void {
  const values = body as Readonly<Record<string, unknown>>;
  const isGiven = (field: string) => ![undefined, null].includes(values[field] as never) && !isEmpty(values[field]);
  for (const field of everyField)
    if (!fieldsOf[type].includes(field) && isGiven(field)) refuseField(field, `is not for the type ${type}`);
  for (const field of Object.values(channelSecrets))
    if (field !== channelSecrets[type] && isGiven(field)) refuseField(field, `is not for the type ${type}`);
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const withoutSecrets = ({
  secret: _s,
  bot_token: _b,
  password: _p,
  token: _t,
  subscription: _u,
  ...rest
}: UpdateBody) => rest;

/** The sealed form of a secret. */
function secretText(value: string | Subscription | null | undefined): string | null | undefined {
  if (typeof value !== "object" || value === null) return value;
  if (!isPublicKey(value.keys.p256dh)) refuseField("subscription.keys.p256dh", "is not the public key of a browser");
  return JSON.stringify(value);
}

const mailPorts = { starttls: 587, tls: 465, none: 25 };

function normalize(channel: Channel): Channel {
  const { name, type, url, api_url, quiet_hours, security, topic } = channel;
  const fixed = fixedTypes.get(nameKey(name));
  if (fixed !== undefined && fixed !== type)
    refuseField("name", `is the name of the channel of type ${fixed} that the settings refer to`);
  for (const [field, text] of Object.entries({ url, api_url }))
    if (text !== null && URL.parse(text) === null) refuseField(field, "is not a valid URL");
  if (type === "ntfy" && url?.includes("?")) refuseField("url", "is the URL of the server, without a query");
  if (quiet_hours !== null && quiet_hours.from === quiet_hours.to)
    refuseField("quiet_hours.to", "must differ from the start");
  if (type === "telegram") return { ...channel, api_url: api_url ?? defaults.telegram.api_url! };
  if (type === "ntfy" && topic !== null && !/^[A-Za-z0-9_-]{1,64}$/.test(topic))
    refuseField("topic", "has at most 64 characters and no slash in a channel of type ntfy");
  if (type === "mqtt") return { ...channel, ...brokerOf(channel) };
  if (type !== "email") return channel;
  return { ...channel, security: security ?? "starttls", port: channel.port ?? mailPorts[security ?? "starttls"] };
}

/** A channel that is not enabled may be incomplete: settings are given one after the other. */
function refuseIncomplete(channel: Channel, isDiscarded: boolean): void {
  const { type, username, has_secret } = channel;
  const again = isDiscarded ? neededAgain : undefined;
  if ((type === "email" || type === "mqtt") && (username !== null) !== has_secret)
    refuseField(has_secret ? "username" : "password", again ?? "is missing: username and password belong together");
  if (!channel.enabled) return;
  const needed = needs[type].find((field) => channel[field] === null || isEmpty(channel[field]));
  if (needed !== undefined) refuseField(needed, `is missing: a channel of type ${type} needs it`);
  if (type === "web_push" && !has_secret) refuseField("subscription", "is missing: a browser makes it");
  if (type === "telegram" && !has_secret) refuseField("bot_token", again ?? "is missing: the bot sends the message");
}

const needs: Readonly<Record<ChannelType, readonly (keyof Channel)[]>> = {
  webhook: ["url"],
  telegram: ["chat_id"],
  email: ["host", "from", "to"],
  ntfy: ["url", "topic"],
  mqtt: ["host", "topic"],
  web_push: [],
};

/** What belongs to a discarded secret, unless the request has it: a bot without its token sends nothing. */
function withoutDiscarded({ type }: Channel, requested: Partial<Channel>): Partial<Channel> {
  if (type === "email" || type === "mqtt") return { username: requested.username ?? null };
  return type === "telegram" ? { enabled: requested.enabled ?? false } : {};
}

/** Where the secret is sent, in canonical form. */
function destinationOf({ url, api_url, host, port, security, ca }: Channel): string {
  const canonical = (text: string | null) => text && (URL.parse(text)?.href ?? text).replace(/\/+$/, "");
  return JSON.stringify([canonical(url), canonical(api_url), host?.toLowerCase(), port, security, ca]);
}
