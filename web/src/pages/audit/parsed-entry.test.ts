import { api } from "@portcullis/contract/api";
import { auditAction, type Api } from "@portcullis/contract/endpoint";
import { describe, expect, test } from "vitest";
import { audit as deutsch } from "../../i18n/de/audit.ts";
import { audit as english } from "../../i18n/en/audit.ts";
import { byDay, parseEntry, fieldsOf, linkOf, remarksOf } from "./parsed-entry.ts";

const id = "01a1dfdd-0528-7a80-9cac-34583404c7d0";
const entry = (action: string, resource_type: string, more: object = {}) => ({
  actor: "admin",
  action,
  resource_type,
  resource_id: id,
  details: {},
  ...more,
});

describe("audit sentence", () => {
  test.each([
    [entry("create_device", "device", { details: { name: "Kitchen TV" } }), "admin created the device Kitchen TV"],
    [entry("delete_device", "device"), "admin deleted the device"],
    [entry("update_setting", "setting", { resource_id: "webhook_url" }), "admin changed the setting webhook_url"],
    [entry("update_uplinks", "uplinks", { resource_id: "uplinks" }), "admin changed the uplinks"],
    [entry("update_dns_options", "dns_options", { resource_id: "options" }), "admin changed the DNS options"],
    [entry("create_session", "session"), "admin signed in"],
    [entry("switch_force_dns", "force_dns", { details: { name: "Phone" } }), "admin switched DNS redirection of Phone"],
    [
      entry("switch_block_doh", "block_doh", { resource_id: "privacy", details: { name: "privacy" } }),
      "admin switched the block of encrypted DNS",
    ],
    [
      entry("update_dns_mode", "dns_mode", { resource_id: "privacy", details: { name: "privacy" } }),
      "admin changed the DNS mode",
    ],
    [
      entry("check_captive_portal", "captive_portal", { resource_id: "captive_portal" }),
      "admin checked for a captive portal",
    ],
    [
      entry("up_tunnel", "tunnel", { actor: "key:grafana", details: { name: "Oslo" } }),
      "API key grafana switched on the tunnel Oslo",
    ],
    [entry("revert_change", "change", { actor: "system", resource_id: "14" }), "The gateway reverted the change 14"],
    [
      entry("apply_routing_policies", "routing_policies", { actor: "anonymous" }),
      "An anonymous client applied the staged policies",
    ],
    [
      entry("block_dns_domains", "dns_domains", { details: { domains: ["ads.example", "b.example", "c.example"] } }),
      "admin blocked ads.example and 2 more",
    ],
    [entry("polish_gate", "gate"), "admin polish gate"],
    [entry("strange", "gate"), "admin strange gate"],
  ])("%#: %o", (logged, sentence) => {
    expect(english.sentence(parseEntry(logged))).toBe(sentence);
  });

  test("audit sentence: German puts the verb last", () => {
    expect(deutsch.sentence(parseEntry(entry("create_device", "device", { details: { name: "Fernseher" } })))).toBe(
      "admin hat das Gerät Fernseher erstellt",
    );
  });

  test("audit sentence: a special sentence replaces verb and noun", () => {
    expect(deutsch.sentence(parseEntry(entry("update_dns_mode", "dns_mode", { resource_id: "privacy" })))).toBe(
      "admin hat den DNS-Modus geändert",
    );
  });

  test("audit sentence: every action of the contract has text in both languages", () => {
    const audited = Object.values(api satisfies Api as Api)
      .flatMap((endpoints) => Object.values(endpoints))
      .flatMap(({ audit }) => (audit ? [audit] : []));
    expect(audited.length).toBeGreaterThan(30);
    for (const messages of [english, deutsch]) {
      expect(audited.map(({ noun }) => noun).filter((noun) => !messages.nouns[noun])).toEqual([]);
      expect(audited.map(({ verb }) => verb).filter((verb) => !messages.verbs[verb])).toEqual([]);
      expect(audited.map(auditAction).length).toBe(audited.length);
    }
  });
});

test("audit link: a deleted resource has none, an existing one has", () => {
  expect(linkOf(entry("create_device", "device"))).toBe(`/devices/${id}`);
  expect(linkOf(entry("update_routing_policy", "routing_policy"))).toBe(`/routing?open=${id}`);
  expect(linkOf(entry("create_dns_rewrite", "dns_rewrite"))).toBe("/dns");
  expect(linkOf(entry("delete_device", "device"))).toBeUndefined();
  expect(linkOf(entry("polish_gate", "constructor"))).toBeUndefined();
});

test("audit details: fields, remarks, and fields that are shown elsewhere", () => {
  const details = {
    name: "TV",
    fields: [{ field: "name", before: null, after: "TV" }, { field: "notes", before: null, after: "" }, "nonsense"],
    reason: "not confirmed in time",
    client: null,
    also_changed: 2,
  };
  expect(fieldsOf(details)).toEqual([{ field: "name", before: null, after: "TV" }]);
  expect(fieldsOf({ fields: "x" })).toEqual([]);
  expect(remarksOf(details)).toEqual([["reason", "not confirmed in time"]]);
});

test("audit log: entries are grouped by day", () => {
  const at = (timestamp: string) => ({ timestamp });
  const days = byDay([at("2026-03-02T12:00:00"), at("2026-03-02T01:00:00"), at("2026-03-01T23:59:59")]);
  expect(days.map(([, entries]) => entries.length)).toEqual([2, 1]);
});
