import { parseAddress } from "../../net/addresses.ts";
import type { HandlersOf } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import type { captive } from "@portcullis/contract/subsystems/captive";
import type { Bootstrap } from "../../config/keys.ts";
import type { Compiled } from "../../planes/inputs.ts";
import { hostsOf, upstreams } from "../../compiler/links/links.ts";
import type { Dataplane } from "../../planes/forwarding/forwarding.plane.ts";
import { checkForPortal } from "../../health/portal.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { captiveService } from "../../subsystems/captive/captive.service.ts";
import type { Exceptions } from "../../subsystems/exceptions/exceptions.service.ts";
import type { System } from "../../system/system.ts";

interface Needs {
  readonly bootstrap: Pick<Bootstrap, "captive" | "dns" | "dataplane">;
  readonly ledger: Ledger;
  readonly system: System;
  readonly dataplane: Pick<Dataplane, "network" | "observedState" | "latest" | "whenIdle">;
  /** Resolves when the resolvers have applied the current configuration. */
  readonly named: () => Promise<unknown>;
  readonly exceptions: Pick<Exceptions, "create">;
  readonly now: () => Date;
}

/** The handler of the captive-portal check. */
export function captiveHandlers(needs: Needs): HandlersOf<typeof captive> {
  const { bootstrap, ledger, system, dataplane, named, exceptions, now } = needs;
  const service = captiveService({
    ledger,
    now,
    checkPortal: async () => {
      if (!bootstrap.dataplane.enabled)
        throw new Problem("conflict", {}, { message: "dataplane.enabled is false, so the gateway sends no probe" });
      const { wan, lan } = dataplane.network();
      const { links } = await dataplane.observedState();
      const uplink = links.find(({ name }) => name === wan);
      const { addresses = [], gateways } = uplink ?? {};
      const seen = await checkForPortal(
        { system, nowMs: () => performance.now() },
        {
          uplink: wan,
          from: {
            v4: addresses.find((it) => !it.includes(":")),
            v6: addresses.find((it) => it.includes(":") && !it.startsWith("fe80:")),
          },
          probe: { url: bootstrap.captive.check_url, answer: bootstrap.captive.check_answer },
          // The default gateway of a network without a configured resolver usually resolves names itself.
          resolvers: [...bootstrap.dns.upstream_servers, ...(gateways?.v4 === undefined ? [] : [gateways.v4])],
        },
      );
      const inside = [
        ...[...links.flatMap((it) => it.addresses ?? []), ...serversIn(dataplane.latest())]
          .filter((it) => parseAddress(it))
          .map((it) => `${it}/${it.includes(":") ? 128 : 32}`),
        ...links.filter(({ name }) => lan.includes(name)).flatMap((it) => it.networks ?? []),
      ];
      return { ...seen, inside };
    },
    open: async (cause, { device_id, duration_min, destinations, answers, reason }) => {
      const made = exceptions.create(
        { ...cause, action: "create_exception", resourceType: "exception" },
        { type: "captive-portal", device_id, duration_min, reason, destinations: [...destinations] },
        answers.map(({ name, addresses }) => ({ name, addresses: [...addresses] })),
      );
      const enforced = await dataplane.whenIdle();
      await named();
      return { id: made.id, expires_at: made.expires_at, enforced };
    },
  });
  return { check: ({ body }, { caller, cause }) => service.check(body, caller, cause) };
}

/** The servers of all hops: no device may connect to them directly. */
function serversIn(compiled: Compiled | undefined): readonly string[] {
  if (!compiled) return [];
  const { intent, facts } = compiled;
  return [
    ...intent.tunnels.flatMap(({ config }) => hostsOf(config)),
    ...upstreams(intent).map(({ at }) => at.host),
    ...Object.values(facts.addresses ?? {}),
    ...Object.values(facts.former ?? {}).flat(),
  ];
}
