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
      /** Dotted keys that the file contains; the others have defaults. */
      readonly given: ReadonlySet<string>;
    }
  | { readonly kind: "mistakes"; readonly mistakes: Mistake[] };

/**
 * Parses the bootstrap file. The result is the configuration, or every mistake in order of position. An empty file or
 * section means the defaults. Relative paths are relative to the folder of the file.
 */
export function parseBootstrap(text: string, file: string): ParsedBootstrap {
  const yaml = readYaml(text);
  if (yaml.kind === "broken")
    return {
      kind: "mistakes",
      mistakes: yaml.errors.map(({ position, message }) => ({ file, ...position, key: "", message })),
    };
  const expanded = expand(yaml.value);
  const given = givenKeys(expanded);
  const mistaken = [...yaml.findings, ...checkKeys(expanded)];
  const isValid = !mistaken.some(({ pointer }) => /^(?:$|\/(?:listen|auth|tls)(?:\/|$))/.test(pointer));
  const findings = firstPerPosition([...mistaken, ...(isValid ? accessFindings(expanded as Bootstrap, given) : [])]);
  if (findings.length === 0)
    return { kind: "ok", bootstrap: normalize(expanded as Bootstrap, given, dirname(file)), given };
  const mistakes = findings.map(({ pointer, at, message }) => ({
    file,
    ...yaml.positionOf(pointer, at),
    key: dotted(pointer),
    message,
  }));
  return { kind: "mistakes", mistakes: mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}

/** Expands abbreviations: an empty section becomes {}, a bare string an API key. */
function expand(value: unknown): unknown {
  if (value === null) return {};
  if (!isMap(value)) return value;
  const sections = Object.entries(value).map(([name, section]) => [name, section ?? {}] as const);
  return Object.fromEntries(sections.map(([name, section]) => [name, name === "auth" ? expandAuth(section) : section]));
}

function expandAuth(auth: unknown): unknown {
  if (!isMap(auth) || !Array.isArray(auth["api_keys"])) return auth;
  return { ...auth, api_keys: auth["api_keys"].map(expandApiKey) };
}

function expandApiKey(item: unknown, index: number): unknown {
  const name = `bootstrap-${index + 1}`;
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

/** Only the first finding of each position: later ones are often its consequences. */
const firstPerPosition = (findings: readonly Finding[]): Finding[] =>
  findings.filter(
    ({ pointer, at }, index) => findings.findIndex((it) => it.pointer === pointer && it.at === at) === index,
  );

/** Normalizes values: absolute paths, host names in lower case, defaults that depend on other keys. */
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
