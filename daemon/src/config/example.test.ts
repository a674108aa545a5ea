import { join } from "node:path";
import { expect, test } from "vitest";
import { parseBootstrap } from "./bootstrap.ts";
import { exampleBootstrap, packagedValues } from "./example.ts";
import { keys } from "./keys.ts";

const file = "/etc/portcullis/portcullis.yaml";
const packaged = join(import.meta.dirname, "../../../packaging/portcullis.yaml");

test("example file: the packaged file is the example (`npx vitest run --project unit -u` writes it anew)", () =>
  expect(exampleBootstrap()).toMatchFileSnapshot(packaged));

const safe = { auth: { enabled: true, local_net: "" } };

test("example file: as it stands, the example wants a credential of every client, and is the defaults otherwise", () => {
  expect(parseBootstrap(exampleBootstrap(), file)).toEqual(parseBootstrap(JSON.stringify(safe), file));
  expect(parseBootstrap(exampleBootstrap(), file)).not.toEqual(parseBootstrap("", file));
  expect([...packagedValues.keys()]).toEqual(["auth.enabled", "auth.local_net"]);
});

test("example file: with every comment sign removed, the example still says the same", () => {
  const uncommented = exampleBootstrap().replaceAll(/^( +)#(?! )/gm, "$1");
  const parsed = parseBootstrap(uncommented, file);
  const defaults = parseBootstrap(
    JSON.stringify({
      ...safe,
      tls: { cert_file: "tls.crt", key_file: "tls.key" },
      dns: { ca_file: "/etc/portcullis/issuers.pem" },
    }),
    file,
  );
  expect(parsed).toEqual({ ...defaults, given: new Set(keys.map(({ dotted }) => dotted)) });
});

const withExamples = keys.filter(({ schema }) => schema.examples);
const tried = ({ section, name, schema }: (typeof keys)[number]) =>
  parseBootstrap(JSON.stringify({ [section]: { [name]: schema.examples?.[0] } }), file).kind;

test("bootstrap: the recommended values of the example are accepted, except the published API key", () =>
  expect(
    withExamples.filter((key) => key.section !== "tls" && tried(key) === "mistakes").map((key) => key.dotted),
  ).toEqual(["auth.api_keys"]));

test("example file: every key is explained", () =>
  expect(keys.filter(({ schema }) => !/^[A-Z].*[^.]$/.test(schema.description ?? ""))).toEqual([]));
