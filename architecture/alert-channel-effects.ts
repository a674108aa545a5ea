import { type Effect, effect, inSubsystem } from "./effect.ts";

const api = inSubsystem("alerts/channels.api");
const receivers = inSubsystem("alerts/receivers.api");

/** Fields of the channels that alerts are delivered to. */
export const alertChannelEffects: readonly Effect[] = [
  effect("alertChannels", "name type url secret", api, "a webhook receives the alert with its id and a signature"),
  effect("alertChannels", "enabled severities", api, "only alerts of the given severities are sent, and none by a"),
  effect("alertChannels", "quiet_hours", api, "in quiet hours critical alerts are sent at once"),
  effect("alertChannels", "bot_token chat_id api_url", receivers, "a bot sends the alert to the chat"),
  effect(
    "alertChannels",
    "host port security username password from to",
    receivers,
    "a mail server receives the alert",
  ),
  effect("alertChannels", "ca", inSubsystem("alerts/mqtt-channel.api"), "a broker receives the alerts in their order"),
  effect(
    "alertChannels",
    "subscription",
    inSubsystem("alerts/web-push.api"),
    "a browser receives the alert, encrypted for it",
  ),
  effect("alertChannels", "topic token", receivers, "an ntfy server receives the alert"),
  effect(
    "alertWebhook",
    "enabled severities quiet_hours url secret",
    inSubsystem("settings/settings.api"),
    "the webhook and the bot are alert channels, whichever of the two is changed",
  ),
];
