import { type Reason, whyNotEnforced } from "@portcullis/contract/reason";
import type { Component } from "@portcullis/contract/subsystems/status";
import { version } from "@portcullis/contract/version";
import type { Bootstrap } from "../../config/keys.ts";
import type { ApiCertificate } from "../../host/api-certificate.ts";
import { platformOf } from "../../host/platform.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Dataplane } from "../../planes/forwarding/forwarding.plane.ts";
import { pqCryptoRoutes } from "../../subsystems/pq-crypto/pq-crypto.routes.ts";
import { statusRoutes } from "../../subsystems/status/status.routes.ts";
import type { System } from "../../system/system.ts";
import { measureOffer } from "../../system/tls-offer.ts";
import { build } from "../build.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly system: System;
  readonly dataplane: Pick<Dataplane, "isReady" | "appliedRevision">;
  readonly nodeId: string;
  readonly startedAt: Date;
  /** The certificate that the API server shows; undefined without TLS. */
  readonly tls: Pick<ApiCertificate, "pin"> | undefined;
  readonly notEnforced: () => Reason | null;
  readonly components: readonly (() => Component | Promise<Component>)[];
  readonly now: () => Date;
}

/** The daemon and the machine it runs on: version, uptime, platform, the health of every part, and what its TLS offers. */
export function openHost({ bootstrap, ledger, system, dataplane, nodeId, startedAt, tls, ...needs }: Needs) {
  const { notEnforced, components, now } = needs;
  const uptimeSec = () => Math.floor((now().getTime() - startedAt.getTime()) / 1000);
  const current = () => ({
    name: "portcullisd",
    version,
    build,
    ready: dataplane.isReady(),
    started_at: startedAt.toISOString(),
    uptime_sec: uptimeSec(),
    node_id: nodeId,
    mode: bootstrap.network.mode,
    dataplane_enabled: bootstrap.dataplane.enabled,
    revision: ledger.revision(),
    applied_revision: dataplane.appliedRevision(),
    tls_pin: tls?.pin() ?? null,
    ...whyNotEnforced(notEnforced()),
  });
  return {
    current,
    handlers: {
      pqCrypto: pqCryptoRoutes({ ledger, measureOffer }),
      status: statusRoutes({
        now,
        components,
        platform: () => platformOf(system, bootstrap.paths.state, ledger.releases.pending() !== undefined),
        status: current,
      }),
    },
  };
}
