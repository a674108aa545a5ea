import type { HandlersOf } from "@portcullis/contract/handler";
import type { deviceGroups, devices } from "@portcullis/contract/subsystems/devices";
import { crudRoutes } from "../routes.ts";
import type { Devices } from "./devices.service.ts";
import type { DeviceGroups } from "./groups.service.ts";

export const deviceRoutes = (service: Devices): HandlersOf<typeof devices> => crudRoutes(service);

export const deviceGroupRoutes = (service: DeviceGroups): HandlersOf<typeof deviceGroups> => crudRoutes(service);
