import { join } from "node:path";
import type { DnsOptions } from "@portcullis/contract/subsystems/dns-settings";
import type { Bootstrap } from "../../config/keys.ts";
import type { Compiled } from "../../planes/inputs.ts";
import { dnsComponents, shared } from "../../planes/dns/dns.components.ts";
import { dnsHandlers, dnsOperations } from "./dns-handlers.ts";
import { dnsServices } from "./dns-services.ts";
import { logLevels } from "../../planes/dns/log-levels.ts";
import { deviceByAddress, openDnsLogging } from "../../planes/dns/query-log.ts";
import { causeIn, dnsStatus } from "../../planes/dns/dns.status.ts";
import { automatonOf } from "../../engines/dnsdist/automaton.model.ts";
import { offeredServices } from "../../compiler/dns/services/offered.ts";
import { presets } from "../../engines/lists/presets.model.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { DnsPlane } from "../../planes/dns/dns.plane.ts";
import { inactiveDns } from "../../subsystems/dns/dns.status.ts";
import { storedPqMode } from "../../subsystems/pq-crypto/stored-mode.ts";
import type { SecretKeeping } from "../../subsystems/sealed.ts";
import type { System } from "../../system/system.ts";
import { requestWeb } from "../../system/web.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly system: System;
  readonly secrets: SecretKeeping;
  /** Absent while dataplane.enabled is false. */
  readonly resolving: DnsPlane | undefined;
  readonly compiled: () => Compiled | undefined;
  /** Resolves when the published state is compiled, and in force as far as possible. */
  readonly enforced: () => Promise<unknown>;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

/** The DNS endpoints and the query log. */
export function openDns(needs: Needs) {
  const { bootstrap, ledger, system, secrets, resolving, compiled, enforced, now, warn } = needs;
  const deviceOf = deviceByAddress(ledger, () => compiled()?.dns.devices);
  const options = () => ledger.staged<DnsOptions & { readonly id: string }>("dns_options").all()[0];
  const logging = openDnsLogging({
    ledger,
    system,
    stateFolder: bootstrap.paths.state,
    now,
    warn,
    isReceiving: resolving !== undefined && bootstrap.dns.enabled,
    rowsKept: options()?.log_rows_kept ?? defaultRows,
    levels: logLevels(compiled),
    enforced,
    causeOf: (by) => {
      const policy = by.revision === null ? undefined : resolving?.policyOf(by.revision);
      return policy && causeIn(policy, by, (kind, id) => nameOf(ledger, kind, id));
    },
    deviceOf,
  });
  const keepRows = () => logging.keepRows(options()?.log_rows_kept ?? defaultRows);
  ledger.watch(({ revision }) => revision !== undefined && keepRows());
  const inactiveReason = bootstrap.dataplane.enabled ? "dns_disabled" : "dataplane_off";
  const statusSource =
    resolving && bootstrap.dns.enabled
      ? dnsStatus({
          plane: resolving,
          compiled,
          device: deviceOf,
          zoneId: (name) =>
            ledger
              .staged<{ id: string; name: string }>("dns_zone")
              .all()
              .find((it) => it.name === name)?.id,
          log: logging.size,
        })
      : inactiveDns(inactiveReason);
  const status = shared(statusSource.status);
  const services = dnsServices({
    ledger,
    secrets,
    bootstrap: bootstrap.dns,
    statusSource,
    upload: async (id, text, format) => {
      if (!resolving) return storeUpload(system, join(bootstrap.paths.state, "dns-uploads"), id, text);
      return resolving.lists.upload(id, text, format).catch((error: unknown) => ({ reason: (error as Error).message }));
    },
    catalog: presets.map(({ refreshHours, ...offer }) => ({ ...offer, refresh_hours: refreshHours })),
    sendHttp: (request) => requestWeb({ ...request, pqMode: storedPqMode(ledger)() }),
    services: offeredServices(),
    affordable: (pattern) => {
      const made = (resolving?.automaton ?? automatonOf)(pattern);
      return "reason" in made ? made.reason : null;
    },
  });
  const byFile = bootstrap.dns.filtering_enabled;
  const components = resolving
    ? dnsComponents({
        resolving,
        status,
        filtering: { bootstrap: byFile, now: () => options()?.filtering_enabled ?? byFile },
      })
    : [];
  const handlers = { ...dnsHandlers(ledger, services), dnsLog: logging.handlers };
  return { ...logging, operations: dnsOperations(services), handlers, components, status, deviceOf };
}

const nameOf = (ledger: Ledger, kind: string, id: string): string => {
  // Exceptions have no name; only those for a captive portal contain DNS answers.
  if (kind === "exception") return "captive-portal";
  if (kind === "pause") return "pause";
  const found = ledger.staged<{ readonly id: string; readonly name?: string; readonly domain?: string }>(kind).get(id);
  return found?.name ?? found?.domain ?? id;
};

/** Stores an upload while no engine reads lists. */
function storeUpload(system: System, folder: string, id: string, text: string): { readonly digest: string } {
  system.makeFolder(folder, 0o700);
  system.writeAtomically(join(folder, id), text, 0o600);
  return { digest: system.digest(text) };
}

const defaultRows = 1_000_000;
