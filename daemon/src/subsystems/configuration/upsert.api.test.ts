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
