import type { Api } from "@portcullis/contract/endpoint";
import { openapi } from "@portcullis/contract/openapi";
import { commandsOf } from "../../cli/src/commands.ts";
import { manual } from "../../cli/src/manual.ts";
import { commandsPage } from "./commands-page.ts";
import { errorsPage } from "./errors-page.ts";
import { eventsPage } from "./events-page.ts";
import { frontPage } from "./front-page.ts";
import { metricsPage } from "./metrics-page.ts";
import { reasonsPage } from "./reasons-page.ts";
import { rolesPage } from "./roles-page.ts";
import { subsystemPage, subsystemPath } from "./subsystem-page.ts";

/** Everything under docs/reference: path → text. The contract is all it is made of. */
export function referencePages(api: Api, version: string): Readonly<Record<string, string>> {
  const commands = commandsOf(api);
  return {
    "README.md": frontPage(api),
    ...Object.fromEntries(
      Object.entries(api).map(([name, endpoints]) => [subsystemPath(name), subsystemPage(name, endpoints)]),
    ),
    "cli.md": commandsPage(api, commands),
    "errors.md": errorsPage(),
    "events.md": eventsPage(),
    "metrics.md": metricsPage(),
    "openapi.json": `${JSON.stringify(openapi(api, version), null, 2)}\n`,
    "portcullis.1": manual(commands),
    "reasons.md": reasonsPage(),
    "roles.md": rolesPage(api),
  };
}
