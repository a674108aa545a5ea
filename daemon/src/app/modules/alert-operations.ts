import type { AlertRuleName } from "@portcullis/contract/subsystems/alerts";
import type { AlertsService } from "../../subsystems/alerts/alerts.service.ts";
import type { Channels } from "../../subsystems/alerts/channels.service.ts";
import type { Operations } from "../../subsystems/configuration/operations.ts";

/** The operations of the sections about alerts in a configuration document. */
export const alertOperations = (channels: Channels, rules: AlertsService["rules"]) =>
  ({
    alert_channel: {
      create: async (cause, body) =>
        (await channels.create(cause, body as Parameters<Channels["create"]>[1])).channel.id,
      update: (cause, id, body) => channels.update(cause, id, body),
      remove: (cause, id) => channels.remove(cause, id),
    },
    alert_rule: { update: (cause, id, body) => rules.update(cause, id as AlertRuleName, body) },
  }) satisfies Operations;
