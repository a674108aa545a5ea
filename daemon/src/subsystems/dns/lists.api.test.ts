import { because, explainedAs } from "@portcullis/contract/reason";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dnsListLimits } from "@portcullis/contract/subsystems/dns-lists";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const plainText = { "content-type": "text/plain" };
const code = async (gateway: TestGateway, method: string, path: string, body?: unknown, headers = {}) => {
  const reply = await gateway.request(method, path, { headers, ...(body !== undefined && { body }) });
  return reply.json().error?.code ?? reply.status;
};

test("DNS lists: a list is fetched, read from a file, or handed in", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const made = await client.dnsPresets.create({
    body: { name: "Ads", category: "ads", url: "https://lists.example/a" },
  });
  expect(made).toEqual({
    id: made.id,
    name: "Ads",
    enabled: true,
    category: "ads",
    action: "block",
    format: "auto",
    url: "https://lists.example/a",
    path: null,
    allow_private: false,
    refresh_hours: 24,
    source_type: "everyone",
    source_value: "",
    source_name: "",
    content_digest: null,
    entries: 0,
    skipped: 0,
    bytes: 0,
    memory_bytes: 0,
    read_at: null,
    ...explainedAs("problem", because("lists_off", { why: because("dataplane_off") })),
  });
  const make = (body: object) => code(gateway, "POST", "/dns/presets", body);
  for (const path of ["list.txt", "below/list.txt", "a..b"]) expect(await make({ name: path, path })).toBe(201);
  for (const path of ["/srv/list.txt", "../etc/shadow", "a/../../etc/shadow", "..", ".", "a/..", "./a", "a/./b"])
    expect([path, await make({ name: "Up", path })]).toEqual([path, "invalid_request"]);
  for (const url of ["https://me:secret@lists.example/a", "http://me@lists.example/"])
    expect(await make({ name: "Login", url })).toBe("invalid_request");
  expect(await make({ name: "At", url: "https://lists.example/@me" })).toBe(201);
  expect(await make({ name: "Both", path: "x", url: "https://lists.example/b" })).toBe("invalid_request");
  expect(await make({ name: "Odd", url: "file:///etc/shadow" })).toBe("invalid_request");
  expect(await make({ name: "Odd", url: "https://[x/" })).toBe("invalid_request");
  expect(await make({ name: "Ads" })).toBe("conflict");
  expect(await make({ name: "Again", url: "https://lists.example/a" })).toBe("conflict");
  expect((await client.dnsPresets.list({ query: { category: "ads" } })).items).toEqual([made]);
  expect(await client.dnsPresets.refresh({ params: { id: made.id } })).toEqual(made);
});

test("DNS lists: a list is handed in as text, larger than other bodies may be", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const { id } = await client.dnsPresets.create({ body: { name: "Mine" } });
  const text = `${"x".repeat(50)}.example\n`.repeat(40_000);
  const content_digest = createHash("sha256").update(text).digest("hex");
  expect(await client.dnsPresets.upload({ params: { id }, body: text })).toMatchObject({ id, content_digest });
  expect(readFileSync(join(gateway.stateFolder, "dns-uploads", id), "utf8")).toBe(text);
  const [entry] = (await client.audit.list({ query: { action: "upload_dns_list" } })).items;
  expect(entry).toMatchObject({ resource_id: id });

  const place = `/dns/presets/${id}/content`;
  expect(await code(gateway, "PUT", place, '{"text":"a.example"}')).toBe("unsupported_media_type");
  expect(await code(gateway, "PUT", place, "a.example", { "content-type": "text/html" })).toBe(
    "unsupported_media_type",
  );
  expect(await code(gateway, "POST", "/devices", "name", plainText)).toBe("unsupported_media_type");
  expect(await code(gateway, "PUT", place)).toBe("invalid_request");
  const huge = { method: "PUT", headers: plainText, body: "x".repeat(dnsListLimits.uploadBytes + 1) };
  expect((await fetch(`${gateway.origin}/api/v1${place}`, huge)).status).toBe(413);
  await client.dnsPresets.update({ params: { id }, body: { url: "https://lists.example/a" } });
  expect(await code(gateway, "PUT", place, "a.example", plainText)).toBe("conflict");
});

test("DNS lists: only so many lists are in force at a time", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  for (let count = 0; count < dnsListLimits.enabled; count += 1)
    await client.dnsPresets.create({ body: { name: `List ${count}` } });
  expect(await code(gateway, "POST", "/dns/presets", { name: "One more" })).toBe("limit_reached");
  const { id } = await client.dnsPresets.create({ body: { name: "Later", enabled: false } });
  expect(await code(gateway, "PUT", `/dns/presets/${id}`, { enabled: true })).toBe("limit_reached");
  const [first] = (await client.dnsPresets.list()).items;
  await client.dnsPresets.update({ params: { id: first!.id }, body: { enabled: false } });
  expect(await code(gateway, "PUT", `/dns/presets/${id}`, { enabled: true })).toBe(200);
});

test("DNS lists: lists of malware and threats are shown as threat feeds", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  await client.dnsPresets.create({ body: { name: "Ads", category: "ads" } });
  await client.dnsPresets.create({ body: { name: "Malware", category: "malware" } });
  await client.dnsPresets.create({ body: { name: "Threats", category: "threat", enabled: false } });
  expect(await client.dnsThreatFeeds.list()).toMatchObject([
    { name: "Malware", status: "off", entries: 0 },
    { name: "Threats", status: "off" },
  ]);
});

test("DNS lists: a well-known list is chosen by its name, once", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const [offer, ...others] = await client.dnsCatalog.list();
  expect([offer!, ...others].filter((it) => it.recommended).map((it) => it.name)).toEqual(["OISD small", "URLhaus"]);
  const { name, url, category, format, refresh_hours } = offer!;
  expect(offer!.chosen_id).toBeNull();
  const reply = await gateway.request("POST", "/dns/presets/catalog", { body: { name } });
  const made = reply.json();
  expect(made).toMatchObject({ name, url, category, format, refresh_hours, enabled: true });
  expect(reply.headers.get("location")).toBe(`/api/v1/dns/presets/${made.id}`);
  expect((await client.dnsCatalog.list())[0]!.chosen_id).toBe(made.id);
  expect(await code(gateway, "POST", "/dns/presets/catalog", { name })).toBe("conflict");
  expect(await code(gateway, "POST", "/dns/presets/catalog", { name: "no such list" })).toBe("invalid_request");
  const misspelt = await gateway.request("POST", "/dns/presets/catalog", { body: { name: `${name}x` } });
  expect(misspelt.json().error.details.fields).toEqual([
    expect.objectContaining({ field: "body.name", did_you_mean: name, allowed: expect.arrayContaining([name]) }),
  ]);
});

test("DNS lists: only an admin lets a list be fetched from a private address, and for one url", async () => {
  const keys = { admin: "an-admin-key-0123456789", operator: "an-operator-key-012345678" };
  const roles = ["admin", "operator"] as const;
  const api_keys = roles.map((role) => ({ key: keys[role], role, name: role }));
  await using gateway = await startGateway({
    config: { auth: { enabled: true, local_net: "10.99.0.0/16", api_keys } },
  });
  const as = (role: (typeof roles)[number], method: string, path: string, body?: unknown) =>
    gateway.request(method, path, {
      headers: { authorization: `Bearer ${keys[role]}` },
      ...(body !== undefined && { body }),
    });
  const body = { name: "NAS", url: "http://192.168.1.5/list.txt", allow_private: true };
  expect((await as("operator", "POST", "/dns/presets", body)).json().error.code).toBe("forbidden");
  const reply = await as("operator", "POST", "/dns/presets", { ...body, allow_private: false });
  const path = `/dns/presets/${reply.json().id}`;
  const put = async (role: (typeof roles)[number], changes: object) => {
    const answer = (await as(role, "PUT", path, changes)).json();
    return answer.error?.code ?? answer.allow_private;
  };
  expect(await put("operator", { allow_private: true })).toBe("forbidden");
  expect(await put("admin", { allow_private: true })).toBe(true);
  expect(await put("operator", { name: "NAS list", allow_private: true, url: body.url })).toBe(true);
  const [allowed] = (await as("admin", "GET", "/snapshots?limit=1")).json();
  expect(await put("operator", { url: "http://192.168.1.1/", allow_private: true })).toBe("forbidden");
  expect(await put("operator", { url: "http://192.168.1.1/" })).toBe(false);

  const back = (await as("operator", "POST", "/rollback", { snapshot: allowed.id })).json();
  expect(back.excluded).toEqual([{ kind: "dns_list", count: 1, names: ["NAS list"] }]);
  expect((await as("operator", "GET", path)).json()).toMatchObject({ url: body.url, allow_private: false });
  expect((await as("admin", "POST", "/rollback", { snapshot: allowed.id })).json().excluded).toEqual([]);
  expect((await as("operator", "GET", path)).json()).toMatchObject({ url: body.url, allow_private: true });
});
