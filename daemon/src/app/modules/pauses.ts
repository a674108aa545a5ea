import type { DnsOptions } from "@portcullis/contract/subsystems/dns-settings";
import type { Bootstrap } from "../../config/keys.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Planes } from "../../planes/planes.ts";
import { domainBelow } from "../../subsystems/dns/domains.ts";
import { watchExpiry } from "../../subsystems/exceptions/expiry.ts";
import { pauseRoutes } from "../../subsystems/pauses/pauses.routes.ts";
import { type Pauses, pauseService } from "../../subsystems/pauses/pauses.service.ts";
import { pauseStore } from "../../subsystems/pauses/pauses.store.ts";
import { pausesComponent } from "../../subsystems/pauses/pauses.component.ts";
import { sinceBootMs } from "../../system/clock.ts";
import type { System } from "../../system/system.ts";
import { opened } from "../module.ts";

type ServiceNeeds = Parameters<typeof pauseService>[0];
interface Needs extends Pick<ServiceNeeds, "announce" | "onChange"> {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly system: System;
  readonly now: () => Date;
}

/** Opened separately, as exceptions: the planes need pauses before anything is compiled. */
export function openPauses({ bootstrap, ledger, system, now, announce, onChange }: Needs): Pauses {
  const options = () => ledger.staged<DnsOptions & { readonly id: string }>("dns_options").all()[0];
  return pauseService({
    ledger,
    store: pauseStore(ledger.database),
    now,
    monotonicMs: sinceBootMs,
    boot: system.readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "",
    isFiltering: () => bootstrap.dns.enabled && (options()?.filtering_enabled ?? bootstrap.dns.filtering_enabled),
    domainIn: domainBelow,
    announce,
    onChange,
  });
}

interface PausingNeeds {
  readonly ledger: Ledger;
  readonly pauses: Pauses;
  readonly planes: Pick<Planes, "dataplane" | "dns">;
  readonly now: () => Date;
}

/** The endpoints of pauses, and the component that reports them. */
export function openPausing({ ledger, pauses, planes: { dataplane, dns }, now }: PausingNeeds) {
  const expiry = watchExpiry({ ledger, service: pauses, resourceType: "pause", now });
  /** Resolves when kernel and resolvers have the current state. */
  async function enforced(): Promise<boolean> {
    const isInKernel = await dataplane.whenIdle();
    await dns?.written();
    return isInKernel && (dns?.isPolicyWritten() ?? true);
  }
  return opened({
    handlers: { pauses: pauseRoutes({ service: pauses, enforced }) },
    components: [() => pausesComponent(pauses.active())],
    close: () => expiry.stop(),
  });
}
