import { explained, reported } from "@portcullis/contract/reason";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import { expect, test } from "vitest";
import { dnsComponents } from "./dns.components.ts";

interface Seen {
  readonly programs?: Component["status"];
  readonly status?: "running" | "degraded" | "failed";
  readonly isPolicyWritten?: boolean;
  readonly filtering?: { readonly bootstrap: boolean; readonly now: boolean };
}

function components({ programs = "ok", status = "running", isPolicyWritten = true, filtering }: Seen) {
  const { bootstrap, now } = filtering ?? { bootstrap: true, now: true };
  const all = dnsComponents({
    resolving: {
      component: () => component("dns", programs, reported("programs")),
      isPolicyWritten: () => isPolicyWritten,
    },
    status: async () => ({ status, ...explained(reported("wg-nl: no upstream answers")), egresses: [] }),
    filtering: { bootstrap, now: () => now },
  });
  return Promise.all(all.map((it) => it()));
}

test.each<[Component["status"], Seen]>([
  ["ok", {}],
  ["failed", { status: "failed" }],
  ["degraded", { status: "degraded" }],
  ["failed", { programs: "failed" }],
  ["off", { programs: "off", status: "failed" }],
])("DNS components: the resolver is %s in /observer with %j", async (status, seen) => {
  const [names] = await components(seen);
  const message = seen.programs || !seen.status ? "programs" : "wg-nl: no upstream answers";
  expect(names).toEqual(component("dns", status, reported(message)));
});

test.each<[Component["status"], Seen, RegExp]>([
  ["ok", {}, /are filtered/],
  [
    "degraded",
    { filtering: { bootstrap: true, now: false } },
    /`portcullis dns configure '{"filtering_enabled": true}'`/,
  ],
  ["off", { filtering: { bootstrap: false, now: false } }, /dns\.filtering_enabled is false/],
  ["ok", { filtering: { bootstrap: false, now: true } }, /are filtered/],
  ["degraded", { isPolicyWritten: false }, /not in force/],
  ["off", { programs: "off" }, /No resolver/],
])("DNS components: the filter is %s in /observer with %j", async (status, seen, message) =>
  expect((await components(seen))[1]).toMatchObject({
    name: "filter",
    status,
    message: expect.stringMatching(message),
  }),
);
