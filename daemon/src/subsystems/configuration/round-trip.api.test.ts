import { sections } from "@portcullis/contract/config-sections";
import { isStoredSecret } from "@portcullis/contract/declarable";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { documentNetwork, randomDocument } from "../../../../testing/random-documents.ts";
import { announceSeed, randomFrom } from "../../../../testing/seed.ts";
import { staticKey, wireguardKey } from "../../../../testing/tunnels.ts";

const documents = 2;
const config = { network: documentNetwork };
const random = randomFrom(announceSeed("round trip of configuration documents"));

async function apply(to: TestGateway, document: unknown): Promise<{ result: string; summary: object }> {
  const reply = await to.request("POST", "/apply", { body: document });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.json();
}
const exportOf = async (gateway: TestGateway) => (await gateway.request("GET", "/config/export")).json();

/** New values in place of those that an export does not show. */
function withSecrets(value: unknown, field = ""): unknown {
  if (isStoredSecret(value)) return invented(field);
  if (Array.isArray(value)) return value.map((it) => withSecrets(it, field));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, withSecrets(it, name)]));
}
const invented = (field: string): string => {
  if (field === "private_key" || field === "preshared_key") return wireguardKey();
  if (field === "bot_token") return "99:another";
  return field === "tls-auth" ? staticKey("b") : "another";
};

test("configuration: an export of any configuration, with its secrets filled in, gives an empty gateway the same export", async () => {
  await using first = await startGateway({ config });
  await using second = await startGateway({ config });
  for (let index = 0; index < documents; index++) {
    const document = randomDocument(random);
    await apply(first, document);
    expect((await apply(first, document)).result).toBe("unchanged");
    const exported = await exportOf(first);
    expect(Object.keys(exported)).toEqual(["version", ...sections.map(({ name }) => name)]);
    expect((await apply(first, exported)).result).toBe("unchanged");
    await apply(second, withSecrets(exported));
    expect(await exportOf(second)).toEqual(exported);
    for (const gateway of [first, second]) {
      await gateway.client.snapshots.rollback({ body: { snapshot: 1 } });
      expect(await exportOf(gateway)).toEqual({ version: 1 });
    }
  }
});
