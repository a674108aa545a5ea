import { join } from "node:path";
import type { Announce } from "@portcullis/contract/events";
import type { Bootstrap } from "../../config/keys.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openTextStore } from "../../ledger/text-store.ts";
import { openDiscoveryPlane } from "../../planes/discovery/discovery.plane.ts";
import type { Planes } from "../../planes/planes.ts";
import { discoveryRoutes } from "../../subsystems/discovery/discovery.routes.ts";
import { discoveryService } from "../../subsystems/discovery/discovery.service.ts";
import { databaseFiles } from "../../system/database-files.ts";
import type { System } from "../../system/system.ts";
import { opened } from "../module.ts";
import type { openInventory } from "./inventory.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly system: System;
  readonly planes: Planes;
  readonly inventory: ReturnType<typeof openInventory>;
  readonly announce: Announce;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

/** Devices that are observed on the LANs. */
export function openDiscovery({ bootstrap, ledger, system, planes, inventory, announce, now, warn }: Needs) {
  const path = join(bootstrap.paths.state, "discovery.db");
  const plane = openDiscoveryPlane({
    system,
    ledger,
    store: openTextStore({ path, contents: "The observed devices", warn, setAside: databaseFiles(path).setAside }),
    sightings: planes.sightings,
    compiled: bootstrap.dataplane.enabled ? planes.dataplane.latest : undefined,
    dhcp: planes.linkStatus.dhcp,
    announce,
    nowMs: () => now().getTime(),
    warn,
  });
  const service = discoveryService({
    ledger,
    source: plane,
    createDevice: inventory.devices.create,
    updateDevice: inventory.devices.update,
    createGroup: inventory.groups.create,
  });
  return opened({ handlers: { discovery: discoveryRoutes(service) }, states: service.states, close: plane.close });
}
