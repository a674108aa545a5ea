import { dirname, join, resolve } from "node:path";
import { accessFindings, isBeyondLoopback } from "./access-checks.ts";
import { checkKeys } from "./check.ts";
import { type Bootstrap, keys } from "./keys.ts";
import { dotted, type Finding, type Mistake } from "./mistake.ts";
import { readYaml } from "./yaml.ts";

export type ParsedBootstrap =
  | {
      readonly kind: "ok";
      readonly bootstrap: Bootstrap;
      /** Dotted keys that stand in the file; the others are defaults. */
      readonly given: ReadonlySet<string>;
    }
  | { readonly kind: "mistakes"; readonly mistakes: Mistake[] };

/**
 * Reads the bootstrap file: all of it or every mistake in it, in order of place. An empty file, or an
 * empty section, means the defaults. Relative paths count from the folder of the file.
 */
export function parseBootstrap(text: string, file: string): ParsedBootstrap {
  const yaml = readYaml(text);
  if (yaml.kind === "broken")
    return {
      kind: "mistakes",
      mistakes: yaml.errors.map(({ place, message }) => ({ file, ...place, key: "", message })),
    };
  const spelled = spellOut(yaml.value);
  const given = givenKeys(spelled);
  const mistaken = [...yaml.findings, ...checkKeys(spelled)];
  const isSound = !mistaken.some(({ pointer }) => /^(?:$|\/(?:listen|auth|tls)(?:\/|$))/.test(pointer));
  const findings = firstPerPlace([...mistaken, ...(isSound ? accessFindings(spelled as Bootstrap, given) : [])]);
  if (findings.length === 0)
    return { kind: "ok", bootstrap: normalize(spelled as Bootstrap, given, dirname(file)), given };
  const mistakes = findings.map(({ pointer, at, message }) => ({
    file,
    ...yaml.placeOf(pointer, at),
    key: dotted(pointer),
    message,
  }));
  return { kind: "mistakes", mistakes: mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}

/** Writes out what the file may abbreviate: nothing for an empty section, a bare string for an API key. */
function spellOut(value: unknown): unknown {
  if (value === null) return {};
  if (!isMap(value)) return value;
  const sections = Object.entries(value).map(([name, section]) => [name, section ?? {}] as const);
  return Object.fromEntries(
    sections.map(([name, section]) => [name, name === "auth" ? spellOutAuth(section) : section]),
  );
}

function spellOutAuth(auth: unknown): unknown {
  if (!isMap(auth) || !Array.isArray(auth["api_keys"])) return auth;
  return { ...auth, api_keys: auth["api_keys"].map(spellOutApiKey) };
}

function spellOutApiKey(item: unknown, place: number): unknown {
  const name = `bootstrap-${place + 1}`;
  if (typeof item === "string") return { key: item, name };
  return isMap(item) ? { name, ...item } : item;
}

const givenKeys = (value: unknown): ReadonlySet<string> =>
  new Set(
    keys
      .filter(({ section, name }) => {
        const there = isMap(value) ? value[section] : undefined;
        return isMap(there) && name in there;
      })
      .map((key) => key.dotted),
  );

/** A place with one mistake needs no second message about its consequences. */
const firstPerPlace = (findings: readonly Finding[]): Finding[] =>
  findings.filter(
    ({ pointer, at }, place) => findings.findIndex((it) => it.pointer === pointer && it.at === at) === place,
  );

/** Gives values the one form the daemon compares them and opens them by. */
function normalize(bootstrap: Bootstrap, given: ReadonlySet<string>, folder: string): Bootstrap {
  const { listen, tls, paths } = bootstrap;
  const absolute = (path: string) => resolve(folder, path);
  const socketOf = (path: string) => (path === "" ? "" : absolute(path));
  const unix_socket = given.has("listen.unix_socket")
    ? socketOf(listen.unix_socket)
    : join(absolute(paths.run), "api.sock");
  return {
    ...bootstrap,
    listen: { ...listen, unix_socket, hosts: listen.hosts.map((name) => name.toLowerCase()) },
    tls: {
      ...tls,
      enabled: given.has("tls.enabled") ? tls.enabled : isBeyondLoopback(listen.api_addr),
      ...(tls.cert_file !== undefined && { cert_file: absolute(tls.cert_file) }),
      ...(tls.key_file !== undefined && { key_file: absolute(tls.key_file) }),
    },
    paths: { state: absolute(paths.state), run: absolute(paths.run), lists: absolute(paths.lists) },
  };
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
