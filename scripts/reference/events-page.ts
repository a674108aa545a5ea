import { basePath } from "@portcullis/contract/api";
import { eventPayloads, events } from "@portcullis/contract/events";
import type { JsonSchema } from "../../cli/src/fields.ts";
import { blocks, code, generated, link } from "./markdown.ts";
import { answerTable, shapesIn } from "./shapes.ts";
import { shapeSection, subsystemPath } from "./subsystem-page.ts";

/** events.md: every event and the fields of its data. */
export const eventsPage = (): string =>
  blocks(
    generated,
    "# Events",
    `${link(code(`GET ${basePath}${events.stream.path}`), subsystemPath("events"))} is a stream of server-sent events. ` +
      events.stream.description,
    ...Object.entries(eventPayloads)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, payload]) => [`## ${name}`, answerTable(payload as JsonSchema) ?? "No data."]),
    "## Shapes",
    ...[...shapes()].map(([title, it]) => shapeSection(title, it)),
  );

const shapes = () => new Map(Object.values(eventPayloads).flatMap((payload) => [...shapesIn(payload as JsonSchema)]));
