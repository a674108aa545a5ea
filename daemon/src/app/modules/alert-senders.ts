import type { Ledger } from "../../ledger/ledger.ts";
import type { Channel, Channels } from "../../subsystems/alerts/channels.service.ts";
import { pushKeys } from "../../subsystems/alerts/push-key.ts";
import { senders } from "../../subsystems/alerts/senders.ts";
import { storedPqMode } from "../../subsystems/pq-crypto/stored-mode.ts";
import type { Vault } from "../../subsystems/secrets/vault.ts";
import { sendMail } from "../../system/mail.ts";
import { publishOnce } from "../../system/mqtt.ts";
import { postWeb } from "../../system/web.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly alertChannels: Channels;
  readonly onCertificate: Parameters<typeof senders>[0]["onCertificate"];
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

/** What sends alerts to their receivers, and the key that browsers subscribe with. */
export function openSenders({ ledger, vault, alertChannels, onCertificate, now, warn }: Needs) {
  const pushKey = pushKeys({ ledger, vault });
  const onEnded = (channel: Channel): Promise<void> =>
    alertChannels
      .endSubscription(channel, now().toISOString())
      .catch((error: unknown) => warn("The channel of a browser was not disabled", error));
  const nowMs = () => now().getTime();
  const push = { key: pushKey.reveal, onEnded };
  const pqMode = storedPqMode(ledger);
  const send = senders({
    postWeb: (request) => postWeb({ ...request, pqMode: pqMode() }),
    sendMail: (mail, signal) => sendMail({ ...mail, pqMode: pqMode() }, signal),
    publishOnce: (broker, message, signal) => publishOnce({ ...broker, pqMode: pqMode() }, message, signal),
    push,
    onCertificate,
    nowMs,
  });
  return { send, pushKey };
}
