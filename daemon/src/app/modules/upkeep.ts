import { tmpdir } from "node:os";
import type { Announce } from "@portcullis/contract/events";
import type { AlertRuleName } from "@portcullis/contract/subsystems/alerts";
import type { PublishedTunnel } from "@portcullis/contract/subsystems/tunnels";
import type { Bootstrap } from "../../config/keys.ts";
import type { ApiCertificate } from "../../host/api-certificate.ts";
import { type CertificateSource, certificateMonitor, type Receiver } from "../../host/certificates.ts";
import { resourceMonitor } from "../../host/resources.ts";
import { resourceReader } from "../../host/resources.read.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Channel, Channels } from "../../subsystems/alerts/channels.service.ts";
import type { System } from "../../system/system.ts";
import type { CertificateEnd } from "../../system/web.ts";
import { opened } from "../module.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly system: System;
  /** undefined: the API has no TLS. */
  readonly tls: ApiCertificate | undefined;
  readonly alertChannels: Pick<Channels, "find">;
  readonly announce: Announce;
  /** Whether there is an unresolved alert. */
  readonly isOpen: (rule: AlertRuleName, key: string) => boolean;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

export const upkeepRoundMs = 10_000;

/** Resources of the machine, and the certificates that the gateway uses. */
export function openUpkeep({ bootstrap, ledger, system, tls, alertChannels, announce, isOpen, now, warn }: Needs) {
  const { paths, dataplane } = bootstrap;
  const resources = resourceMonitor({
    read: resourceReader({
      system,
      folders: [paths.state, paths.run, "/var/log", tmpdir()],
      withConntrack: dataplane.enabled,
    }),
    announce,
    wasExhausted: (id) => isOpen("resource-exhaustion", id),
  });
  const certificates = certificateMonitor({
    sources: () => [...(tls ? [{ owner: "API", pem: tls.current().cert }] : []), ...tunnelSources(ledger)],
    receiver: (id) => {
      const channel = alertChannels.find(id);
      return channel?.enabled ? receiverOf(channel) : undefined;
    },
    trouble: () => tls?.trouble(),
    announce,
    wasReported: (id, state) => isOpen(state === "expiring" ? "cert-expiry-critical" : "cert-expired", id),
    nowMs: () => now().getTime(),
  });
  let running: Promise<void> | undefined;
  const check = () => {
    resources.round();
    certificates.round();
  };
  async function round(): Promise<void> {
    try {
      await tls?.check();
      check();
    } catch (error) {
      warn("resources and certificates were not checked", error);
    }
  }
  const rounds = setInterval(() => void (running ??= round().finally(() => (running = undefined))), upkeepRoundMs);
  rounds.unref();
  return opened({
    handlers: {},
    components: [resources.component, certificates.component],
    /** The first round, when alerts can be raised. */
    start: check,
    /** The certificate that the receiver of a channel showed. */
    onCertificate: (channel: Channel, end: CertificateEnd) => certificates.shown(receiverOf(channel), end),
    isWorking: { resource: resources.isSufficient, certificate: certificates.isValid },
    close: async () => {
      clearInterval(rounds);
      await running;
    },
  });
}

/** The owner of its certificate is the name of the channel: its address is not for every role. */
const receiverOf = ({ id, name, type, url, api_url, host, port }: Channel): Receiver => ({
  id,
  name,
  type,
  server: url ?? api_url ?? `${host} ${port}`,
});

/** Certificates in the files of tunnels that are switched on. What is in a PKCS #12 file is a secret, and is not read. */
const tunnelSources = (ledger: Ledger): readonly CertificateSource[] =>
  ledger
    .staged<PublishedTunnel>("tunnel")
    .all()
    .flatMap((tunnel) =>
      tunnel.type === "openvpn" && tunnel.enabled
        ? Object.entries(tunnel.config.blocks).map(([name, pem]) => ({ owner: `${tunnel.name} (${name})`, pem }))
        : [],
    );
