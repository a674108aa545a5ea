import type { Ledger } from "../../ledger/ledger.ts";
import { seenDevices } from "../../monitors/seen-devices.ts";
import type { Sightings } from "../../monitors/sightings.ts";
import { privacyClassRoutes, trustClassRoutes } from "../../subsystems/classes/classes.routes.ts";
import { privacyClassService, trustClassService } from "../../subsystems/classes/classes.service.ts";
import { crudOperations } from "../../subsystems/configuration/operations.ts";
import { deviceGroupRoutes, deviceRoutes } from "../../subsystems/devices/devices.routes.ts";
import { deviceService } from "../../subsystems/devices/devices.service.ts";
import { deviceGroupService } from "../../subsystems/devices/groups.service.ts";
import type { referenceService } from "../../subsystems/records/references.service.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly references: ReturnType<typeof referenceService>;
  readonly sightings: Sightings;
  /** When each address last sent a DNS query that may be logged. */
  readonly clients: Parameters<typeof seenDevices>[1];
  readonly now: () => Date;
}

/** Devices, device groups, trust classes and privacy classes. */
export function openInventory({ ledger, references: { refuseInUse }, sightings, clients, now }: Needs) {
  const devices = deviceService({ ledger, now, refuseInUse, seen: seenDevices(sightings, clients) });
  const groups = deviceGroupService({ ledger, refuseInUse });
  const classes = privacyClassService({ ledger, refuseInUse });
  const trustClasses = trustClassService({ ledger, refuseInUse });
  return {
    operations: {
      device: crudOperations(devices),
      device_group: crudOperations(groups),
      trust_class: crudOperations(trustClasses),
      privacy_class: crudOperations(classes),
    },
    devices,
    groups,
    classes,
    handlers: {
      devices: deviceRoutes(devices),
      deviceGroups: deviceGroupRoutes(groups),
      trustClasses: trustClassRoutes(trustClasses),
      privacyClasses: privacyClassRoutes(classes),
    },
  };
}
