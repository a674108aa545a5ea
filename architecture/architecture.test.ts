import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withDiagram } from "./diagram.ts";
import {
  everyFileHasAModule,
  filesAreShort,
  importsAreAllowed,
  type Rule,
  fileNamesAreSpecific,
  noDefaultExports,
  noImportCycles,
  noShells,
  onlyEntryPointsReadProcess,
  permissionsAreUsed,
  pureFilesHaveNoSideEffects,
  tlsSessionsHaveTheMode,
} from "./rules.ts";
import { diagramLimits, importableByAll, modules } from "./modules.ts";
import { readSources } from "./source.ts";

const sources = readSources();

test("the architecture rules read the sources of the product", () => expect(sources.length).toBeGreaterThan(20));

test("the diagram of the daemon stays small enough to be understood at one look", () => {
  const inside = modules.filter(({ files }) => sources.some(({ file }) => isOfDaemon(file) && files.test(file)));
  const names = new Set(inside.map(({ name }) => name));
  const imports = inside.flatMap(({ imports }) => imports.filter((it) => names.has(it) && !importableByAll.has(it)));
  expect(inside.length).toBeLessThanOrEqual(diagramLimits.modules);
  expect(imports.length).toBeLessThanOrEqual(diagramLimits.imports);
});

const isOfDaemon = (file: string): boolean => file.startsWith("daemon/src/");

test("every permission to import a module is used", () => {
  expect(permissionsAreUsed(sources)).toEqual([]);
  const control = permissionsAreUsed([{ file: "daemon/src/http/a.ts", text: 'import "@portcullis/contract/role";' }]);
  expect(control).not.toContain("http → contract");
  expect(control).toContain("subsystems → ledger");
});

/** A rule with its controls: violations that it must report, and similar sources that it must accept. */
interface Control {
  readonly title: string;
  readonly rule: Rule;
  readonly reported: readonly (readonly [file: string, text: string, violation: string])[];
  readonly accepted: readonly (readonly [file: string, text: string])[];
}

const controls: readonly Control[] = [
  {
    title: "every file belongs to a module",
    rule: everyFileHasAModule,
    reported: [["daemon/src/attic/box.ts", "", "daemon/src/attic/box.ts"]],
    accepted: [["daemon/src/app/gateway.ts", ""]],
  },
  {
    title: "imports follow the import rules",
    rule: importsAreAllowed,
    reported: [
      ["contract/src/a.ts", 'import "node:fs";', "contract/src/a.ts → node:fs"],
      ["contract/src/a.ts", 'import type { A } from "fastify";', "contract/src/a.ts → fastify"],
      ["cli/src/a.ts", 'export * from "../../daemon/src/main.ts";', "cli/src/a.ts → daemon/src/main.ts"],
      [
        "daemon/src/system/a.ts",
        'import "../ledger/ledger.ts";',
        "daemon/src/system/a.ts → daemon/src/ledger/ledger.ts",
      ],
      ["daemon/src/ledger/a.ts", 'import "node:fs";', "daemon/src/ledger/a.ts → node:fs"],
      [
        "daemon/src/ledger/a.ts",
        'import "@portcullis/contract/role";',
        "daemon/src/ledger/a.ts → contract/src/role.ts",
      ],
      ["daemon/src/engines/nft/a.ts", 'import "node:os";', "daemon/src/engines/nft/a.ts → node:os"],
      [
        "daemon/src/compiler/a.ts",
        'import "../ledger/collection.ts";',
        "daemon/src/compiler/a.ts → daemon/src/ledger/collection.ts",
      ],
      [
        "daemon/src/compiler/a.ts",
        'import "../engines/nft/nft.render.ts";',
        "daemon/src/compiler/a.ts → daemon/src/engines/nft/nft.render.ts",
      ],
      [
        "daemon/src/reconciler/a.ts",
        'import "../system/run.ts";',
        "daemon/src/reconciler/a.ts → daemon/src/system/run.ts",
      ],
      [
        "daemon/src/subsystems/a/a.ts",
        'export { b } from "../b/b.ts";',
        "daemon/src/subsystems/a/a.ts → daemon/src/subsystems/b/b.ts",
      ],
      [
        "web/src/pages/a/page.tsx",
        'import { B } from "../b/page.tsx";',
        "web/src/pages/a/page.tsx → web/src/pages/b/page.tsx",
      ],
      ["web/src/ui/a.tsx", 'import "../components/ribbon.tsx";', "web/src/ui/a.tsx → web/src/components/ribbon.tsx"],
      ["daemon/src/subsystems/a/a.ts", 'const fs = await import("node:fs");', "daemon/src/subsystems/a/a.ts → node:fs"],
      [
        "daemon/src/subsystems/a/a.ts",
        'import "../../http/server.ts";',
        "daemon/src/subsystems/a/a.ts → daemon/src/http/server.ts",
      ],
      [
        "daemon/src/http/a.ts",
        'type A = import("../ledger/ledger.ts").A;',
        "daemon/src/http/a.ts → daemon/src/ledger/ledger.ts",
      ],
      ["daemon/src/http/a.ts", 'import "fastify-plugin";', "daemon/src/http/a.ts → fastify-plugin"],
      ["daemon/src/http/a.ts", "import(name);", "daemon/src/http/a.ts → a specifier computed at run time"],
      ["daemon/src/http/a.ts", 'import "../../../testing/daemon.ts";', "daemon/src/http/a.ts → testing/daemon.ts"],
      ["daemon/src/main.ts", 'import "../../testing/daemon.ts";', "daemon/src/main.ts → testing/daemon.ts"],
      ["daemon/src/http/a.ts", 'import "../main.ts";', "daemon/src/http/a.ts → daemon/src/main.ts"],
      [
        "daemon/src/health/a.ts",
        'import "../engines/nft/nft.model.ts";',
        "daemon/src/health/a.ts → daemon/src/engines/nft/nft.model.ts",
      ],
      [
        "daemon/src/planes/dns/a.ts",
        'import "../links/b.ts";',
        "daemon/src/planes/dns/a.ts → daemon/src/planes/links/b.ts",
      ],
      ["web/src/ui/a.tsx", 'import "node:path";', "web/src/ui/a.tsx → node:path"],
    ],
    accepted: [
      ["contract/src/a.ts", 'import Type from "typebox"; import "./b.ts";'],
      ["daemon/src/compiler/a.ts", 'import "../engines/nft/nft.model.ts"; import "@portcullis/contract/role";'],
      ["daemon/src/http/a.ts", 'import "ajv/dist/2020.js"; import "node:stream"; import "@fastify/static";'],
      [
        "daemon/src/subsystems/a/a.service.ts",
        'import "./a.store.ts"; import "../pages.ts"; import "node:crypto"; import "../../ledger/collection.ts";',
      ],
      ["daemon/src/planes/planes.ts", 'import "./dns/dns.plane.ts"; import "./inputs.ts";'],
      ["daemon/src/app/gateway.ts", 'import "pino"; import "../http/server.ts"; import "../config/keys.ts";'],
    ],
  },
  {
    title: "no import cycle exists",
    rule: noImportCycles,
    reported: [
      ["daemon/src/a.ts", 'import "./a.ts";', "daemon/src/a.ts → daemon/src/a.ts"],
      [
        "contract/src/a.ts",
        'import { type A } from "@portcullis/contract/a";',
        "contract/src/a.ts → contract/src/a.ts",
      ],
      ["daemon/src/a.ts", 'import type { A } from "./a.ts";', "daemon/src/a.ts → daemon/src/a.ts"],
    ],
    accepted: [["daemon/src/a.ts", 'import type { A } from "./b.ts"; type B = import("./b.ts").B;']],
  },
  {
    title: "pure files use no clock, randomness, promise or Node",
    rule: pureFilesHaveNoSideEffects,
    reported: [
      ["daemon/src/compiler/a.ts", "const at = Date.now();", "daemon/src/compiler/a.ts → Date.now"],
      ["daemon/src/compiler/a.ts", 'const at = Date["now"]();', "daemon/src/compiler/a.ts → Date.now"],
      ["daemon/src/compiler/a.ts", "const at = new Date();", "daemon/src/compiler/a.ts → new Date()"],
      ["daemon/src/compiler/a.ts", "const n = Math.random();", "daemon/src/compiler/a.ts → Math.random"],
      ["daemon/src/compiler/a.ts", "type Later = Promise<number>;", "daemon/src/compiler/a.ts → Promise"],
      ["daemon/src/compiler/a.ts", "async function later() {}", "daemon/src/compiler/a.ts → async"],
      ["daemon/src/compiler/a.ts", "const later = async () => 1;", "daemon/src/compiler/a.ts → async"],
      ["daemon/src/compiler/a.ts", "const a = { async later() {} };", "daemon/src/compiler/a.ts → async"],
      ["daemon/src/compiler/a.ts", "setTimeout(() => 1, 1);", "daemon/src/compiler/a.ts → setTimeout()"],
      ["daemon/src/compiler/a.ts", "const id = crypto.randomUUID();", "daemon/src/compiler/a.ts → crypto.randomUUID"],
      ["daemon/src/compiler/a.ts", 'import { hash } from "node:crypto";', "daemon/src/compiler/a.ts → node:crypto"],
      [
        "daemon/src/engines/nft/nft.model.ts",
        'import "../../system/run.ts";',
        "daemon/src/engines/nft/nft.model.ts → daemon/src/system/run.ts",
      ],
      [
        "daemon/src/engines/nft/nft.diff.ts",
        "const n = Math.random();",
        "daemon/src/engines/nft/nft.diff.ts → Math.random",
      ],
    ],
    accepted: [
      ["daemon/src/compiler/a.ts", "const until = new Date(facts.at).getTime(); const most = Math.max(1, 2);"],
      ["daemon/src/engines/nft/nft.engine.ts", "export async function apply() { await 1; }"],
    ],
  },
  {
    title: "only entry points read environment and arguments",
    rule: onlyEntryPointsReadProcess,
    reported: [
      ["daemon/src/http/a.ts", "const home = process.env.HOME;", "daemon/src/http/a.ts → process.env"],
      ["daemon/src/system/a.ts", "const home = globalThis.process.env;", "daemon/src/system/a.ts → process.env"],
      ["cli/src/words.ts", "const words = process.argv.slice(2);", "cli/src/words.ts → process.argv"],
      ["cli/src/words.ts", 'import { env } from "node:process";', "cli/src/words.ts → env of node:process"],
      ["cli/src/words.ts", 'import me from "node:process";', "cli/src/words.ts → default of node:process"],
      ["cli/src/words.ts", "const { argv } = process;", "cli/src/words.ts → { … } = process"],
    ],
    accepted: [
      ["cli/src/main.ts", "const words = process.argv.slice(2);"],
      ["daemon/src/main.ts", "const path = process.env.CONFIG;"],
      ["daemon/src/http/a.ts", "const { pid } = answer; const used = process.memoryUsage();"],
    ],
  },
  {
    title: "no program is run by a shell",
    rule: noShells,
    reported: [
      [
        "daemon/src/system/a.ts",
        'import { exec } from "node:child_process";',
        "daemon/src/system/a.ts → exec of node:child_process",
      ],
      [
        "daemon/src/system/a.ts",
        'import * as child from "node:child_process";',
        "daemon/src/system/a.ts → * of node:child_process",
      ],
      [
        "daemon/src/system/a.ts",
        'const child = await import("node:child_process");',
        "daemon/src/system/a.ts → * of node:child_process",
      ],
      ["daemon/src/system/a.ts", "spawn(program, words, { shell: true });", "daemon/src/system/a.ts → shell: …"],
      ["daemon/src/system/a.ts", 'const options = { shell: "/bin/dash" };', "daemon/src/system/a.ts → shell: …"],
      [
        "daemon/src/system/a.ts",
        'import { spawn } from "node:child_process"; spawn(program, words, { shell });',
        "daemon/src/system/a.ts → shell: …",
      ],
      ["daemon/src/system/a.ts", 'spawn("/bin/sh", ["-c", text]);', "daemon/src/system/a.ts → a call of /bin/sh"],
    ],
    accepted: [
      ["daemon/src/system/a.ts", 'import { spawn } from "node:child_process"; spawn("nft", ["-f"], { shell: false });'],
      ["daemon/src/ledger/a.ts", 'sqlite.exec("PRAGMA x"); /a/.exec("b");'],
      ["cli/src/a.ts", 'const completion = { shell }; complete("bash", words);'],
    ],
  },
  {
    title: "no TLS session is opened without the mode of post-quantum key exchange",
    rule: tlsSessionsHaveTheMode,
    reported: [
      ["daemon/src/system/a.ts", 'import { connect } from "node:tls";', "daemon/src/system/a.ts → connect of node:tls"],
      ["daemon/src/system/a.ts", 'import * as tls from "node:tls";', "daemon/src/system/a.ts → * of node:tls"],
      ["daemon/src/host/a.ts", 'import { get } from "node:https";', "daemon/src/host/a.ts → get of node:https"],
      ["daemon/src/host/a.ts", 'import { Agent } from "https";', "daemon/src/host/a.ts → Agent of node:https"],
      ["daemon/src/host/a.ts", 'const tls = await import("node:tls");', "daemon/src/host/a.ts → * of node:tls"],
      ["daemon/src/app/a.ts", 'import { connect } from "node:http2";', "daemon/src/app/a.ts → connect of node:http2"],
      ["daemon/src/app/a.ts", 'import { createTransport } from "nodemailer";', "daemon/src/app/a.ts → nodemailer"],
      ["daemon/src/app/a.ts", 'import { request } from "undici";', "daemon/src/app/a.ts → undici"],
      ["daemon/src/app/a.ts", 'await fetch("https://a.example");', "daemon/src/app/a.ts → fetch()"],
      ["daemon/src/app/a.ts", 'await globalThis.fetch("https://a.example");', "daemon/src/app/a.ts → fetch()"],
      ["daemon/src/app/a.ts", "new WebSocket(url);", "daemon/src/app/a.ts → new WebSocket()"],
      [
        "daemon/src/dns-proxy/a.ts",
        'import { connect } from "node:tls";',
        "daemon/src/dns-proxy/a.ts → connect of node:tls",
      ],
    ],
    accepted: [
      [
        "daemon/src/system/outbound-tls.ts",
        'import { connect } from "node:tls"; import { request } from "node:https";',
      ],
      ["daemon/src/system/a.ts", 'import { connectTls } from "./outbound-tls.ts"; import { connect } from "node:net";'],
      [
        "daemon/src/system/a.ts",
        'import type { ConnectionOptions } from "node:tls"; import { TLSSocket } from "node:tls"; socket instanceof TLSSocket;',
      ],
      [
        "daemon/src/http/a.ts",
        'import { Server } from "node:tls"; import { request } from "node:http"; lists.fetch(id);',
      ],
      ["cli/src/a.ts", 'import { connect } from "node:tls";'],
    ],
  },
  {
    title: "no file has a default export",
    rule: noDefaultExports,
    reported: [
      ["contract/src/a.ts", "export default 1;", "contract/src/a.ts → export default"],
      ["contract/src/a.ts", "const a = 1; export { a as default };", "contract/src/a.ts → export { … as default }"],
    ],
    accepted: [["contract/src/a.ts", 'export const byDefault = 1; export * as all from "./b.ts";']],
  },
  {
    title: "file names are specific",
    rule: fileNamesAreSpecific,
    reported: [
      ["contract/src/index.ts", "", "contract/src/index.ts contains index"],
      ["daemon/src/http/utils/cookie.ts", "", "daemon/src/http/utils/cookie.ts contains utils"],
      ["daemon/src/subsystems/a/a.helpers.ts", "", "daemon/src/subsystems/a/a.helpers.ts contains helpers"],
      ["daemon/src/engines/nft/TableManager.ts", "", "daemon/src/engines/nft/TableManager.ts contains manager"],
    ],
    accepted: [["daemon/src/ledger/database.ts", ""]],
  },
  { title: "no file exceeds its maximum of lines", rule: filesAreShort, reported: [], accepted: [] },
];

describe.each(controls)("$title", ({ rule, reported, accepted }) => {
  test("the product has no violation", () => expect(rule(sources)).toEqual([]));
  test.each(reported)("%s is reported with %s", (file, text, violation) =>
    expect(rule([{ file, text }])).toEqual([violation]),
  );
  test.each(accepted)("%s is accepted with %s", (file, text) => expect(rule([{ file, text }])).toEqual([]));
});

test("filesAreShort: a file of 401 lines is reported, one of 400 is accepted", () => {
  const ofLines = (lines: number) => [{ file: "cli/src/a.ts", text: "it();\n".repeat(lines) }];
  expect(filesAreShort(ofLines(401))).toEqual(["cli/src/a.ts has 401 lines"]);
  expect(filesAreShort(ofLines(400))).toEqual([]);
  const gateway = ofLines(151).map((it) => ({ ...it, file: "daemon/src/app/gateway.ts" }));
  expect(filesAreShort(gateway)).toEqual(["daemon/src/app/gateway.ts has 151 lines"]);
});

test("noImportCycles: a cycle over several files is reported with all of them", () => {
  const cyclic = [
    { file: "daemon/src/ledger/a.ts", text: 'import "./b.ts";' },
    { file: "daemon/src/ledger/b.ts", text: 'export * from "./c.ts"; import type { D } from "./d.ts";' },
    { file: "daemon/src/ledger/c.ts", text: 'import type { B } from "./b.ts";' },
  ];
  expect(noImportCycles(cyclic)).toEqual(["daemon/src/ledger/b.ts → daemon/src/ledger/c.ts → daemon/src/ledger/b.ts"]);
});

test("the import rules have no cycle", () => {
  const trails = (name: string, trail: readonly string[]): string[] =>
    trail.includes(name)
      ? [[...trail, name].join(" → ")]
      : modules.find((module) => module.name === name)!.imports.flatMap((next) => trails(next, [...trail, name]));
  expect(modules.flatMap(({ name }) => trails(name, []))).toEqual([]);
});

test("ARCHITECTURE.md has the diagram of these rules (`npm run diagram` regenerates it)", () => {
  const document = readFileSync(join(import.meta.dirname, "../ARCHITECTURE.md"), "utf8");
  expect(withDiagram(document, modules)).toBe(document);
  expect(withDiagram(document, modules.slice(1))).not.toBe(document);
});
