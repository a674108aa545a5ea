import { afterAll, beforeAll, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

const send = async (path: string, body: unknown) => {
  const reply = await gateway.request("POST", path, { body });
  return { status: reply.status, body: reply.json() };
};
const exported = async () => (await gateway.request("GET", "/config/export")).json();

test("configuration: an entry that excludes that of a document is not overwritten by it", async () => {
  const mine = { domain: "ads.example", answer: "NXDOMAIN" };
  await send("/dns/rewrites", mine);
  const before = await exported();
  const other = { domain: "ads.example", answer: "CNAME", value: "x.example" };
  const refused = await send("/apply", { dns_rewrites: [other] });
  expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"]);
  expect(refused.body.error.message).toContain("ads.example has another rewrite");
  expect(await exported()).toEqual(before);
  const spelled = { dns_rewrites: [{ ...mine, domain: "ADS.example." }] };
  expect((await send("/apply", spelled)).body.result).toBe("unchanged");
  const address = (value: string) => ({ dns_rewrites: [{ domain: "six.example", answer: "AAAA", value }] });
  await send("/apply", address("2001:db8::1"));
  // Only the service knows that it is the same address.
  expect((await send("/apply", address("2001:db8:0::0001"))).body).toMatchObject({ result: "unchanged" });
});

test("configuration: a field that a service resets with another one is as the document says, or the document is refused", async () => {
  const list = { name: "near", url: "http://192.168.1.9/list", allow_private: true };
  const channel = { name: "bot", type: "telegram", enabled: true, chat_id: "-1", api_url: "https://a.example" };
  const proxy = { name: "far", kind: "upstream", address: "192.0.2.7:1080", username: "me" };
  const made = {
    dns_lists: [list],
    alert_channels: [{ ...channel, bot_token: "99:hush" }],
    proxies: [{ ...proxy, password: "hush" }],
  };
  expect((await send("/apply", made)).status).toBe(200);
  const moved = { dns_lists: [{ ...list, url: "http://192.168.1.10/list" }] };
  expect((await send("/apply", moved)).body.summary).toMatchObject({ change: 1 });
  expect((await send("/apply", moved)).body.result).toBe("unchanged");
  const before = await exported();
  expect(before.dns_lists).toMatchObject(moved.dns_lists);
  const telegram = { ...channel, api_url: "https://b.example" };
  const upstream = { ...proxy, address: "192.0.2.8:1080" };
  const refused = [await send("/apply", { alert_channels: [telegram] }), await send("/apply", { proxies: [upstream] })];
  expect(refused.map(({ status, body }) => [status, body.error.details.fields[0].field])).toEqual([
    [400, "body.alert_channels.0.bot_token"],
    [400, "body.proxies.0.password"],
  ]);
  expect(await exported()).toEqual(before);
  const complete = {
    alert_channels: [{ ...telegram, bot_token: "99:hush" }],
    proxies: [{ ...upstream, password: "hush" }],
  };
  expect((await send("/apply", complete)).body.summary).toMatchObject({ change: 2 });
  expect(await exported()).toMatchObject({ alert_channels: [telegram], proxies: [upstream] });
});
