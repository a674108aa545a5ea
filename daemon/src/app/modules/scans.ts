import type { Announce } from "@portcullis/contract/events";
import { because, type Reason } from "@portcullis/contract/reason";
import type { Device } from "@portcullis/contract/subsystems/devices";
import type { Resources } from "../../compiler/input/read-document.ts";
import type { Bootstrap } from "../../config/keys.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Planes } from "../../planes/planes.ts";
import { openScansPlane } from "../../planes/scans/scans.plane.ts";
import { levelIn } from "../../planes/traffic/attribution.ts";
import { sinceBootMs } from "../../system/clock.ts";
import type { System } from "../../system/system.ts";
import { opened } from "../module.ts";

interface Needs {
  readonly bootstrap: Pick<Bootstrap, "paths" | "dataplane">;
  readonly ledger: Ledger;
  readonly system: System;
  readonly planes: Pick<Planes, "dataplane">;
  /** Why nothing is enforced on this machine; null: it is. */
  readonly notEnforced: () => Reason | null;
  readonly announce: Announce;
  readonly warn: (message: string, error: unknown) => void;
}

/** Port scans by devices on the LANs. */
export function openScans({ bootstrap, ledger, system, planes, notEnforced, announce, warn }: Needs) {
  const { dataplane } = planes;
  const devices = ledger.staged<Device>("device");
  const plane = openScansPlane({
    system,
    runFolder: bootstrap.paths.run,
    scans: dataplane.scans,
    notRecorded: () => {
      // With the dataplane off, a table of this name would belong to another program.
      if (!bootstrap.dataplane.enabled) return because("dataplane_disabled");
      return notEnforced();
    },
    deviceOf: (mac) => {
      const device = devices.all().find((it) => it.mac === mac);
      const levelOf = levelIn(ledger.releases.document(ledger.revision()) as unknown as Resources);
      return device && { id: device.id, name: device.name, isShown: levelOf(device.id) === "full" };
    },
    announce,
    sinceBootMs,
    warn,
  });
  return opened({ handlers: {}, components: [plane.component], close: plane.close });
}
