import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TestGateway } from "../../../../testing/gateway.ts";
import { announceSeed } from "../../../../testing/seed.ts";
import { editState, type LastingState, lastingState, readState, unseal } from "../../../../testing/state.ts";

const seed = announceSeed("passphrase");

const chosen = "the operator's own choice";
const loseFile = ({ stateFolder }: LastingState) => rmSync(join(stateFolder, "secrets.passphrase"));
const loseSetting = ({ stateFolder }: LastingState) =>
  expect(editState(stateFolder, "DELETE FROM setting WHERE key = 'secrets_passphrase'")).toBe(1);

const setPassphrase = (gateway: TestGateway, passphrase: string) =>
  gateway.request("POST", "/secrets/set-passphrase", { body: { passphrase } });
const clearPassphrase = (gateway: TestGateway) => gateway.request("POST", "/secrets/clear-passphrase");
const createSecret = (gateway: TestGateway, name: string, value: string) =>
  gateway.client.secrets.create({ body: { name, value } });
const encryptionStatus = (gateway: TestGateway) => gateway.client.secrets.encryptionStatus();
const undecipherable = (details: object) => ({
  error: { code: "secrets_undecipherable", message: expect.any(String), details },
});

/** Every value on disk, opened under the passphrase of the settings, in any order. */
async function valuesOnDisk({ stateFolder }: LastingState): Promise<string[]> {
  const { values, passphrase } = readState(stateFolder);
  const opened = values.map(async ({ form, value }) => (form === "plain" ? value : unseal(passphrase!, value)));
  return (await Promise.all(opened)).toSorted();
}

/** Both places hold this passphrase, and only root may read the file. */
function expectInForce({ stateFolder }: LastingState, passphrase: string | undefined, mode: string): void {
  const onDisk = readState(stateFolder);
  expect(onDisk).toMatchObject({ passphrase, mode, file: `${passphrase}\n` });
  expect(onDisk.fileMode! & 0o777).toBe(0o400);
}

/** Runs `work` on a gateway that is stopped afterwards. */
async function during<T>(state: LastingState, work: (gateway: TestGateway) => Promise<T>): Promise<T> {
  await using gateway = await state.start();
  return await work(gateway);
}

describe("passphrase: two places", () => {
  test("the first start makes a passphrase and keeps it in both, and later starts keep it", async () => {
    using state = lastingState();
    await during(state, async (gateway) => {
      await createSecret(gateway, "a", "value");
      expect(await encryptionStatus(gateway)).toEqual({ encrypted: true, total_secrets: 1, encrypted_count: 1 });
    });
    const { passphrase } = readState(state.stateFolder);
    expect(passphrase).toMatch(/^[0-9a-f]{64}$/);
    expectInForce(state, passphrase, "generated");
    await during(state, async () => {});
    expectInForce(state, passphrase, "generated");
    expect(await valuesOnDisk(state)).toEqual(["value"]);
  });

  test.each([
    ["the file", "generated", loseFile],
    ["the file", "user", loseFile],
    ["the setting", "generated", loseSetting],
    ["the setting", "user", loseSetting],
  ])("losing %s of a %s passphrase costs nothing: the other place restores it", async (_, mode, lose) => {
    using state = lastingState();
    await during(state, async (gateway) => {
      await createSecret(gateway, "a", "before");
      if (mode === "user") await setPassphrase(gateway, chosen);
    });
    const { passphrase } = readState(state.stateFolder);
    expectInForce(state, passphrase, mode);
    lose(state);
    await during(state, (gateway) => createSecret(gateway, "b", "after"));
    expectInForce(state, passphrase, mode);
    expect(await valuesOnDisk(state)).toEqual(["after", "before"]);
  });

  test("where they differ, the one that opens the secrets counts, and the file is closed again", async () => {
    using state = lastingState();
    await during(state, (gateway) => createSecret(gateway, "a", "value"));
    const { passphrase } = readState(state.stateFolder);
    const file = join(state.stateFolder, "secrets.passphrase");
    chmodSync(file, 0o644);
    writeFileSync(file, "scribbled over\n");
    await during(state, async () => {});
    expectInForce(state, passphrase, "generated");
    editState(state.stateFolder, "UPDATE setting SET value = 'nonsense' WHERE key = 'secrets_passphrase'");
    await during(state, async () => {});
    expectInForce(state, passphrase, "generated");
    expect(await valuesOnDisk(state)).toEqual(["value"]);
  });

  test("a passphrase with spaces around it is restored with them", async () => {
    using state = lastingState();
    await during(state, async (gateway) => expect((await setPassphrase(gateway, "  spacious  ")).status).toBe(200));
    loseSetting(state);
    await during(state, async () => {});
    expectInForce(state, "  spacious  ", "user");
  });
});

describe("passphrase: both places lost", () => {
  test("a generated passphrase is followed by a new one; what it sealed cannot be opened, nor overwritten", async () => {
    using state = lastingState();
    const { id } = await during(state, (gateway) => createSecret(gateway, "a", "gone"));
    const before = readState(state.stateFolder);
    loseFile(state);
    loseSetting(state);
    await during(state, async (gateway) => {
      expect(await encryptionStatus(gateway)).toEqual({ encrypted: true, total_secrets: 1, encrypted_count: 1 });
      const refused = await setPassphrase(gateway, chosen);
      expect(refused.status).toBe(500);
      expect(refused.json()).toEqual(undecipherable({ undecipherable: 1, secrets: [id] }));
      expect((await clearPassphrase(gateway)).json()).toEqual(undecipherable({ undecipherable: 1, secrets: [id] }));
    });
    const after = readState(state.stateFolder);
    expect(after.values).toEqual(before.values);
    expect(after.passphrase).toMatch(/^[0-9a-f]{64}$/);
    expect(after.passphrase).not.toBe(before.passphrase);
    expectInForce(state, after.passphrase, "generated");
  });

  test("health fails, the log has a line, and both name the remedy, until the secret is stored again", async () => {
    using state = lastingState();
    const { id } = await during(state, async (gateway) => {
      await createSecret(gateway, "b", "deleted later");
      const made = await createSecret(gateway, "a", "gone");
      expect((await gateway.client.status.health()).status).toBe("ok");
      return made;
    });
    loseFile(state);
    loseSetting(state);
    const seen = async (gateway: TestGateway) => {
      const { client } = gateway;
      const { status, components } = await client.status.observer();
      expect([(await client.status.health()).status, (await client.status.status()).health]).toEqual([status, status]);
      return { status, message: components.find(({ name }) => name === "secrets")?.message };
    };
    for (const _ of ["the first start", "a later start"])
      await during(state, async (gateway) => {
        expect(await seen(gateway)).toEqual({
          status: "failed",
          message: expect.stringMatching(/^2 secrets cannot be decrypted.*secrets\.passphrase.*`portcullis secrets`/),
        });
        expect(gateway.logged.join("")).toContain("2 secrets cannot be decrypted");
      });
    await during(state, async (gateway) => {
      await gateway.client.secrets.update({ params: { id }, body: { value: "stored anew" } });
      expect((await seen(gateway)).message).toContain("One secret cannot be decrypted");
      const [other] = (await gateway.client.secrets.list()).items.filter(({ name }) => name === "b");
      await gateway.client.secrets.remove({ params: { id: other!.id } });
      expect(await seen(gateway)).toEqual({ status: "ok", message: "Secrets are encrypted" });
    });
    await during(state, async (gateway) => expect((await seen(gateway)).status).toBe("ok"));
  });

  test("once what cannot be opened is deleted and forgotten, life goes on under a new passphrase", async () => {
    using state = lastingState({ config: { limits: { logins_per_minute: 1000, snapshots_kept: 2 } } });
    const account = { username: "admin", password: "a long password" };
    const { id } = await during(state, async (gateway) => {
      await gateway.client.auth.setup({ body: { ...account, code: gateway.setupCode() } }); // The key of the sessions is sealed too.
      return createSecret(gateway, "a", "gone");
    });
    loseFile(state);
    loseSetting(state);
    await during(state, async ({ client }) => {
      await client.auth.login({ body: account });
      await client.secrets.remove({ params: { id } });
      for (const name of ["a", "b", "c"]) await client.devices.create({ body: { name } });
    });
    await during(state, async (gateway) => {
      await expect.poll(() => readState(state.stateFolder).values).toMatchObject([{ secret_id: "session_key" }]);
      expect((await setPassphrase(gateway, chosen)).status).toBe(200);
    });
    expectInForce(state, chosen, "user");
  });

  test("the operator's own passphrase locks the vault until the operator brings it back", async () => {
    using state = lastingState();
    await during(state, async (gateway) => {
      await createSecret(gateway, "a", "one");
      await createSecret(gateway, "b", "two");
      expect((await setPassphrase(gateway, chosen)).status).toBe(200);
    });
    loseFile(state);
    loseSetting(state);
    const lost = readState(state.stateFolder);
    await during(state, async (gateway) => {
      expect(await encryptionStatus(gateway)).toEqual({ encrypted: true, total_secrets: 2, encrypted_count: 2 });
      const { components } = await gateway.client.status.observer();
      expect(components.find(({ name }) => name === "secrets")).toMatchObject({ status: "failed" });
      for (const [method, path, body] of [
        ["POST", "/secrets", { name: "c", value: "three" }],
        [
          "POST",
          "/proxies",
          { name: "far", kind: "upstream", address: "192.0.2.1:1080", username: "u", password: "p" },
        ],
      ] as const) {
        const refused = await gateway.request(method, path, { body });
        expect([refused.status, refused.json()]).toEqual([500, undecipherable({})]);
      }
      for (const reply of [await setPassphrase(gateway, "not the right one"), await clearPassphrase(gateway)]) {
        expect(reply.status).toBe(500);
        expect(reply.json()).toMatchObject(undecipherable({ undecipherable: 2 }));
      }
    });
    expect(readState(state.stateFolder)).toEqual(lost);
    await during(state, async (gateway) => {
      expect((await setPassphrase(gateway, chosen)).status).toBe(200);
      await createSecret(gateway, "c", "three");
    });
    expectInForce(state, chosen, "user");
    expect(await valuesOnDisk(state)).toEqual(["one", "three", "two"]);
    const { values } = readState(state.stateFolder);
    expect(values).toEqual(expect.arrayContaining([...lost.values])); // Opened, not sealed anew.
  });
});

describe("passphrase: without a passphrase", () => {
  test("values are kept plain, also across restarts, until a passphrase is set again", async () => {
    using state = lastingState();
    await during(state, async (gateway) => {
      await createSecret(gateway, "a", "one");
      const cleared = await clearPassphrase(gateway);
      expect(cleared.json()).toEqual({ encrypted: false, total_secrets: 1, encrypted_count: 0 });
    });
    const bare = { passphrase: undefined, mode: "off", file: undefined };
    expect(readState(state.stateFolder)).toMatchObject({ ...bare, values: [{ form: "plain", value: "one" }] });
    await during(state, async (gateway) => {
      const { components } = await gateway.client.status.observer();
      expect(components.find(({ name }) => name === "secrets")).toMatchObject({ status: "degraded" });
      await createSecret(gateway, "b", "two");
      expect((await clearPassphrase(gateway)).status).toBe(200);
    });
    expect(readState(state.stateFolder)).toMatchObject({ ...bare, values: [{ form: "plain" }, { form: "plain" }] });
    await during(state, async (gateway) => {
      const set = await setPassphrase(gateway, chosen);
      expect(set.json()).toEqual({ encrypted: true, total_secrets: 2, encrypted_count: 2 });
    });
    expectInForce(state, chosen, "user");
    expect(await valuesOnDisk(state)).toEqual(["one", "two"]);
  });

  test("any value survives being sealed and unsealed, also one that looks sealed", async () => {
    using state = lastingState();
    const anything = fc.sample(fc.string({ unit: "binary", minLength: 1, maxLength: 300 }), { seed, numRuns: 12 });
    const looksSealed = ["enc:", "enc:plain words", `enc:${"A".repeat(200)}`, "enc:enc:enc:", "a\u0000b", " \n "];
    const values = [...looksSealed, ...anything, ...anything.map((it) => `enc:${it}`)];
    const plainRows = () =>
      readState(state.stateFolder).values.map(({ form, value }) => (form === "plain" ? value : undefined));
    await using gateway = await state.start();
    await clearPassphrase(gateway);
    for (const [index, value] of values.entries()) await createSecret(gateway, `s${index}`, value);
    expect(plainRows()).toEqual(values);
    for (let turn = 0; turn < 2; turn++) {
      expect((await setPassphrase(gateway, chosen)).status).toBe(200);
      const { values: sealed } = readState(state.stateFolder);
      expect(sealed.every(({ form, value }) => form === "enc" && /^enc:[A-Za-z0-9+/]+=*$/.test(value))).toBe(true);
      expect((await clearPassphrase(gateway)).status).toBe(200);
      expect(plainRows()).toEqual(values);
    }
  });
});

describe("passphrase: a rotation", () => {
  test("that meets one damaged value changes nothing at all, and the others go on", async () => {
    using state = lastingState();
    const ids = await during(state, async (gateway) => {
      const made = await Promise.all(["a", "b", "c"].map((name) => createSecret(gateway, name, name)));
      return made.map(({ id }) => id);
    });
    const damage = "UPDATE sealed_value SET value = 'enc:' || upper(substr(value, 5)) WHERE secret_id = ?";
    expect(editState(state.stateFolder, damage, ids[1]!)).toBe(1);
    const before = readState(state.stateFolder);
    await during(state, async (gateway) => {
      const auditBefore = await gateway.client.audit.list();
      for (const reply of [await setPassphrase(gateway, chosen), await clearPassphrase(gateway)]) {
        expect(reply.status).toBe(500);
        expect(reply.json()).toEqual(undecipherable({ undecipherable: 1, secrets: [ids[1]] }));
      }
      expect(await gateway.client.audit.list()).toEqual(auditBefore);
      expect(readState(state.stateFolder)).toEqual(before);
      await gateway.client.secrets.update({ params: { id: ids[1]! }, body: { value: "whole again" } });
    });
    const { values, passphrase } = readState(state.stateFolder);
    expect(passphrase).toBe(before.passphrase);
    const repaired = values.find(({ secret_id, version }) => secret_id === ids[1] && version === 2);
    expect(await unseal(passphrase!, repaired!.value)).toBe("whole again");
  });

  test("leaves every row under the new passphrase and one audit entry that does not tell it", async () => {
    using state = lastingState();
    await during(state, async (gateway) => {
      for (const name of ["a", "b", "c"]) await createSecret(gateway, name, name);
    });
    const before = readState(state.stateFolder);
    await during(state, async (gateway) => {
      expect((await setPassphrase(gateway, chosen)).status).toBe(200);
      const { items } = await gateway.client.audit.list();
      expect(items[0]).toMatchObject({ action: "set_passphrase", resource_id: "secrets", details: { secrets: 3 } });
    });
    expectInForce(state, chosen, "user");
    expect(await valuesOnDisk(state)).toEqual(["a", "b", "c"]);
    const salts = ({ values }: typeof before) => values.map(({ value }) => value.slice(0, 20));
    expect(salts(readState(state.stateFolder)).filter((it) => salts(before).includes(it))).toEqual([]);
  });

  test("and fifty secrets created while it runs, and a second rotation, end under one passphrase", async () => {
    using state = lastingState();
    const names = Array.from({ length: 50 }, (_, index) => `new-${index}`);
    const old = Array.from({ length: 8 }, (_, index) => `old-${index}`);
    await during(state, async (gateway) => {
      for (const name of old) await createSecret(gateway, name, name);
      const replies = await Promise.all([
        setPassphrase(gateway, chosen),
        ...names.slice(0, 25).map((name) => createSecret(gateway, name, name)),
        setPassphrase(gateway, "the second choice"),
        ...names.slice(25).map((name) => createSecret(gateway, name, name)),
      ]);
      expect(replies).toHaveLength(52);
    });
    const { passphrase } = readState(state.stateFolder);
    expect([chosen, "the second choice"]).toContain(passphrase);
    expectInForce(state, passphrase, "user");
    expect(await valuesOnDisk(state)).toEqual([...names, ...old].toSorted());
  });

  test("needs a passphrase of eight characters or more", async () => {
    using state = lastingState();
    await during(state, async (gateway) => {
      expect((await setPassphrase(gateway, "seven77")).status).toBe(400);
      expect((await gateway.request("POST", "/secrets/set-passphrase", { body: {} })).status).toBe(400);
    });
    expect(readState(state.stateFolder).mode).toBe("generated");
  });
});
