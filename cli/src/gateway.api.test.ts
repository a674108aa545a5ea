import { expect, test } from "vitest";
import { startGateway } from "../../testing/gateway.ts";
import { run } from "./run.ts";
import { sendTo } from "./send.ts";

/** The client as it is, against a whole gateway; only files and standard input are made up. */
const clientOf =
  (origin: string) =>
  (...words: string[]) =>
    run(words, {
      send: sendTo(origin),
      isFile: () => false,
      readFile: () => Promise.reject(new Error("there are no files")),
      readStdin: async () => Buffer.from('{"notes":"by the window"}'),
    });

test("a device lives and dies by the command line", async () => {
  await using gateway = await startGateway();
  const portcullis = clientOf(gateway.origin);
  const { id } = JSON.parse((await portcullis("devices", "create", '{"name":"TV"}')).out) as { id: string };
  expect(JSON.parse((await portcullis("devices", "update", id)).out)).toMatchObject({ id, notes: "by the window" });
  expect((await portcullis("devices")).out.split("\n")[1]).toMatch(new RegExp(`^${id}\tTV\t`));
  expect(JSON.parse((await portcullis("devices", "delete", id)).out)).toEqual({ id, deleted: true });
  expect(await portcullis("devices", "get", id)).toMatchObject({ out: "", complaint: { status: 1 } });
});

test("a mistyped field comes back with the right one", async () => {
  await using gateway = await startGateway();
  const { complaint } = await clientOf(gateway.origin)("devices", "create", '{"name":"TV","ntoes":"x"}');
  expect(complaint?.text).toContain("did_you_mean: notes");
});

test("a list of several pages is printed whole and once", async () => {
  await using gateway = await startGateway();
  const names = Array.from({ length: 1002 }, (_, at) => `device ${at}`);
  for (const name of names) await gateway.client.devices.create({ body: { name } });
  const { out } = await clientOf(gateway.origin)("devices");
  const printed = out
    .split("\n")
    .slice(1, -1)
    .map((line) => line.split("\t")[1]!);
  expect(printed.toSorted()).toEqual(names.toSorted());
});

test("rolling back brings an older state again", async () => {
  await using gateway = await startGateway();
  const portcullis = clientOf(gateway.origin);
  const [, newest = ""] = (await portcullis("snapshots")).out.split("\n");
  await portcullis("devices", "create", '{"name":"TV"}');
  expect((await portcullis("rollback", newest.split("\t")[0]!)).complaint).toBeUndefined();
  expect((await portcullis("devices")).out.split("\n")).toHaveLength(2);
});

test("every command that only reads is answered", async () => {
  await using gateway = await startGateway();
  const portcullis = clientOf(gateway.origin);
  for (const words of [
    "health",
    "status",
    "observer",
    "platform",
    "version",
    "changes",
    "settings",
    "audit",
    "secrets",
  ])
    expect(await portcullis(words)).toEqual({ out: expect.stringContaining("\n") });
});

test("where a credential is asked for, the client says that it has none", async () => {
  await using gateway = await startGateway({ config: { auth: { enabled: true, local_net: "192.0.2.0/24" } } });
  const portcullis = clientOf(gateway.origin);
  expect((await portcullis("devices")).complaint?.text).toMatch(/^unauthorized: .+\n {2}This client carries no token/);
  expect(JSON.parse((await portcullis("health")).out)).toMatchObject({
    status: "ok",
    components: { error: { code: "unauthorized" } },
  });
});
