import { api } from "@portcullis/contract/api";
import { status } from "@portcullis/contract/subsystems/status";
import { expect, test } from "vitest";
import { docsPage } from "./pages.ts";

test("API documents: every endpoint has its place on the page, in words a browser shows as they are", () => {
  const { html } = docsPage(api, "1.2.3");
  for (const [subsystem, endpoints] of Object.entries(api))
    for (const name of Object.keys(endpoints)) expect(html).toContain(`<code>${subsystem}.${name}</code>`);
  const odd = { ...status.health, summary: "<script>alert(1)</script> & more" };
  expect(docsPage({ odd: { odd } }, "1").html).toContain("&#60;script&#62;alert(1)&#60;/script&#62; &#38; more");
});
