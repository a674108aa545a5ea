import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import { type AlertWebhook, type alertWebhook, channelForms } from "@portcullis/contract/subsystems/alert-channels";
import type { Cause } from "../../ledger/change.ts";
import { keyOf } from "../lookup.ts";
import { given } from "../resources.ts";
import type { Channel, Channels, Saved } from "./channels.service.ts";

type PutBody = InputOf<typeof alertWebhook.put>["body"];
type Changes = Readonly<Partial<Record<string, string | null>>>;

export type FixedChannels = ReturnType<typeof fixedChannels>;

/** The channels with the names webhook and telegram, which settings and /alerts/webhook refer to. */
export function fixedChannels(channels: Channels) {
  const named = (name: "webhook" | "telegram"): Channel | undefined => channels.list().find((it) => keyOf(it) === name);

  async function putWebhook(cause: Cause, body: PutBody): Promise<readonly string[]> {
    const before = named("webhook");
    const url = body.url === undefined ? (before?.url ?? null) : body.url;
    if (url === null) {
      if (before) channels.remove(cause, before.id);
      return [];
    }
    return (await put(cause, "webhook", before, body)).discarded;
  }
  function put(
    cause: Cause,
    name: "webhook" | "telegram",
    before: Channel | undefined,
    body: Parameters<Channels["update"]>[2],
  ): Promise<Saved> {
    return before ? channels.update(cause, before.id, body) : channels.create(cause, { ...body, name, type: name });
  }

  /** Without chat or token the bot is switched off; without both there is none. */
  async function putTelegram(cause: Cause, { chat_id, bot_token }: TelegramChanges): Promise<void> {
    const before = named("telegram");
    const chat = chat_id === undefined ? (before?.chat_id ?? null) : chat_id;
    const hasToken = bot_token === undefined ? (before?.has_secret ?? false) : bot_token !== null;
    if (chat === null && !hasToken) {
      if (before) channels.remove(cause, before.id);
      return;
    }
    const enabled = chat !== null && hasToken;
    await put(cause, "telegram", before, { ...given({ chat_id, bot_token }), enabled });
  }

  return {
    webhook: (): AlertWebhook => {
      const channel = named("webhook");
      const { enabled, severities, quiet_hours, url, has_secret } = channel ?? nothing;
      return { id: channel?.id ?? null, enabled, severities, quiet_hours, url, has_secret };
    },
    webhookId: (): string => {
      const channel = named("webhook");
      if (!channel) throw new Problem("not_found", {}, { message: "No webhook is set" });
      return channel.id;
    },
    putWebhook,
    /** The string settings that are fields of these channels. */
    settings: {
      isSet: (key: string): boolean => isSet[key]?.(named) ?? false,
      refuse: (key: string, value: string | null): void => {
        const form = forms[key];
        if (form && value !== null && !(form.test(value) && (key !== "webhook_url" || URL.canParse(value))))
          throw new Problem("invalid_request", { key }, { message: `${key} has not the right form` });
      },
      change: async (cause: Cause, changes: Changes): Promise<void> => {
        const linked = { ...cause, resourceType: "alert_channel" };
        const { webhook_url: url, telegram_chat_id: chat_id, telegram_bot_token: bot_token } = changes;
        if (url !== undefined) await putWebhook(linked, { url });
        if (chat_id !== undefined || bot_token !== undefined) await putTelegram(linked, { chat_id, bot_token });
      },
    },
  };
}

interface TelegramChanges {
  readonly chat_id: string | null | undefined;
  readonly bot_token: string | null | undefined;
}

const nothing: Omit<AlertWebhook, "id"> = {
  enabled: false,
  severities: [],
  quiet_hours: null,
  url: null,
  has_secret: false,
};

type Named = (name: "webhook" | "telegram") => Channel | undefined;
const isSet: Readonly<Record<string, (named: Named) => boolean>> = {
  webhook_url: (named) => (named("webhook")?.url ?? null) !== null,
  telegram_chat_id: (named) => (named("telegram")?.chat_id ?? null) !== null,
  telegram_bot_token: (named) => named("telegram")?.has_secret ?? false,
};

const forms: Readonly<Record<string, RegExp>> = {
  webhook_url: new RegExp(channelForms.url, "u"),
  telegram_chat_id: new RegExp(channelForms.chat, "u"),
  telegram_bot_token: new RegExp(channelForms.botToken, "u"),
};
