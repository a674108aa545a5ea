import { basePath } from "@portcullis/contract/api";
import type { Api } from "@portcullis/contract/endpoint";
import { defaultAddress } from "../../cli/src/address.ts";
import { blocks, bullets, code, fenced, generated, link, table } from "./markdown.ts";
import { subsystemPath, titleOf } from "./subsystem-page.ts";

/** README.md: what there is to look up, and what holds for every endpoint. */
export const frontPage = (api: Api): string =>
  blocks(
    generated,
    "# Reference",
    bullets([
      `${link("Command line", "cli.md")}, and the same as a manual page: ${code("portcullis man")}`,
      link("Errors", "errors.md"),
      link("Events", "events.md"),
      `${link("Metrics", "metrics.md")}: what ${code("GET /api/v1/metrics")} contains`,
      `${link("Reasons", "reasons.md")}: the codes of ${code("coded_reason")}`,
      `${link("Roles", "roles.md")}: which role may call which endpoint`,
      `${link("openapi.json", "openapi.json")}: the whole API as an OpenAPI 3.1 document`,
    ]),
    "## API",
    table(
      ["Subsystem", "Endpoints"],
      Object.keys(api)
        .toSorted()
        .map((name) => [link(titleOf(name), subsystemPath(name)), String(Object.keys(api[name]!).length)]),
    ),
    "## General rules",
    bullets([
      `Every path begins with ${code(basePath)}; requests and answers are JSON in UTF-8.`,
      "A success is the thing itself: an object, or for a list a bare array.",
      `Lists that come in pages take ${code("limit")} and ${code("cursor")}. The header ${code("Link")} names the next page.`,
      "Times are RFC 3339 in UTC. The last word of a number's name is its unit.",
      "Fields the contract does not know are refused, not ignored.",
    ]),
    "The examples expect two variables:",
    fenced("sh", `GATEWAY=${defaultAddress}\nKEY=...  # an API key, where authentication is on`),
  );
