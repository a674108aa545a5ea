import { randomUUID } from "node:crypto";
import type { HandlersOf } from "@portcullis/contract/handler";
import { explained } from "@portcullis/contract/reason";
import type {
  AlertChannel,
  alertChannels,
  alertDeliveries,
  alertWebhook,
  ChannelTest,
} from "@portcullis/contract/subsystems/alert-channels";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { withoutSecret } from "../sealed.ts";
import type { Channel, Channels, Saved } from "./channels.service.ts";
import { attemptMs, type Delivery } from "./delivery.ts";
import type { FixedChannels } from "./fixed-channels.ts";
import { testMessage } from "./messages.ts";
import type { Send } from "./senders.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly channels: Channels;
  readonly fixed: FixedChannels;
  readonly delivery: Delivery;
  readonly send: Send;
  readonly nodeId: string;
  readonly nowMs: () => number;
}

export function channelRoutes({ ledger, channels, fixed, delivery, send, nodeId, nowMs }: Needs): {
  readonly alertChannels: HandlersOf<typeof alertChannels>;
  readonly alertWebhook: HandlersOf<typeof alertWebhook>;
  readonly alertDeliveries: HandlersOf<typeof alertDeliveries>;
} {
  const shown = (channel: Channel): AlertChannel => {
    const { waiting, dropped, acceptedMs } = delivery.stateOf(channel);
    const accepted_at = acceptedMs === null ? null : new Date(acceptedMs).toISOString();
    return { ...withoutSecret(channel), waiting: waiting.length, dropped, accepted_at };
  };
  const changed = async (saving: Promise<Saved>): Promise<AlertChannel> => {
    const { channel, discarded } = await saving;
    return { ...shown(channel), ...(discarded.length > 0 && { discarded_secrets: [...discarded] }) };
  };

  /** Outside of the queue: what waits is not passed, and no copy is stored. */
  async function test(cause: Cause, id: string): Promise<ChannelTest> {
    const channel = channels.get(id);
    ledger.change(cause, (draft) => draft.about(id, { name: channel.name }));
    const secret = await channels.reveal(channel);
    const message = testMessage(randomUUID(), channel.name, nodeId, nowMs());
    const { kind, reason } = await send({ channel, secret, message, signal: AbortSignal.timeout(attemptMs) });
    delivery.tested(channel, kind);
    return { accepted: kind === "accepted", ...explained(reason) };
  }

  return {
    alertChannels: {
      list: ({ query }) => {
        const { items, ...rest } = channels.page(query);
        return { items: items.map(shown), ...rest };
      },
      get: ({ params }) => shown(channels.get(params.id)),
      create: ({ body }, { cause }) => changed(channels.create(cause, body)),
      update: ({ params, body }, { cause }) => changed(channels.update(cause, params.id, body)),
      remove: ({ params: { id } }, { cause }) => {
        channels.remove(cause, id);
        return { id, deleted: true };
      },
      test: ({ params }, { cause }) => test(cause, params.id),
    },
    alertWebhook: {
      get: () => fixed.webhook(),
      put: async ({ body }, { cause }) => {
        const discarded = await fixed.putWebhook(cause, body);
        return { ...fixed.webhook(), ...(discarded.length > 0 && { discarded_secrets: [...discarded] }) };
      },
      test: (_, { cause }) => test(cause, fixed.webhookId()),
    },
    alertDeliveries: {
      list: ({ query }) => delivery.list(query),
      retry: ({ params }, { cause }) => delivery.retry(cause, params.id),
      remove: ({ params: { id } }, { cause }) => {
        delivery.remove(cause, id);
        return { id, deleted: true };
      },
    },
  };
}
