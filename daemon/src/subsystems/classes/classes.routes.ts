import type { HandlersOf } from "@portcullis/contract/handler";
import type { privacyClasses, trustClasses } from "@portcullis/contract/subsystems/classes";
import { crudRoutes } from "../routes.ts";
import type { privacyClassService, trustClassService } from "./classes.service.ts";

export const trustClassRoutes = (service: ReturnType<typeof trustClassService>): HandlersOf<typeof trustClasses> =>
  crudRoutes(service);

export const privacyClassRoutes = (
  service: ReturnType<typeof privacyClassService>,
): HandlersOf<typeof privacyClasses> => crudRoutes(service);
