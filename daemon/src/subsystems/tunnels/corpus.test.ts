import { sentence } from "@portcullis/contract/reason";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { corpus, directiveNames } from "../../../../testing/tunnel-files.ts";
import { parseOpenvpnConf, renderOpenvpnConf } from "./openvpn-conf.ts";
import { isKept } from "./openvpn-directives.ts";
import type { OpenvpnProfile, ParseResult, WireguardProfile } from "./profile.ts";
import { parseWireguardConf } from "./wireguard-conf.ts";

/**
 * What each file becomes. A new file is added with what it should become, written by hand; the files hold invented
 * names, addresses of the documentation ranges, and keys that open nothing.
 */
const expectations = JSON.parse(readFileSync(new URL("corpus/expectations.json", import.meta.url), "utf8")) as Readonly<
  Record<string, unknown>
>;

describe("tunnel files: files of the kinds that people have", () => {
  test("each has its expectation, and there are enough of them", () => {
    expect(corpus.map(({ name }) => name)).toEqual(Object.keys(expectations).toSorted());
    expect(corpus.length).toBeGreaterThanOrEqual(44);
  });

  test.each(corpus)("$name becomes what is written beside it", ({ name, format, text }) => {
    const essentials =
      format === "wireguard"
        ? essentialsOf(parseWireguardConf(text), wireguardEssentials)
        : essentialsOf(parseOpenvpnConf(text), openvpnEssentials);
    expect(essentials).toEqual(expectations[name]);
  });

  const read = corpus
    .filter(({ format }) => format === "openvpn")
    .map(({ name, text }) => ({ name, reading: parseOpenvpnConf(text) }))
    .flatMap(({ name, reading }) => (reading.kind === "read" ? [{ name, profile: reading.profile }] : []));

  test.each(read)("$name is printed with nothing but what is on the list", ({ profile }) => {
    const others = directiveNames(renderOpenvpnConf(profile, "kept apart")).filter((name) => !isKept(name));
    expect(new Set(others)).toEqual(
      new Set(["remote", ...(profile.requiresCredentials ? ["auth-user-pass"] : []), ...Object.keys(profile.blocks)]),
    );
  });
});

function essentialsOf<P>(reading: ParseResult<P>, essentials: (profile: P) => object): object {
  return reading.kind === "refused"
    ? { refused: reading.refusals.map(({ line, problem }) => (line === null ? problem : `${line}: ${problem}`)) }
    : { ...essentials(reading.profile), notes: reading.notes.map((it) => `${sentence(it)}.`) };
}

const wireguardEssentials = ({ privateKey, peers, ...own }: WireguardProfile): object => ({
  ...own,
  hasPrivateKey: privateKey !== null,
  peers: peers.map(({ presharedKey, endpoint, allowedIps, keepaliveSec }) => ({
    endpoint,
    allowedIps,
    keepaliveSec,
    hasPresharedKey: presharedKey !== null,
  })),
});

const openvpnEssentials = (profile: OpenvpnProfile): object => ({
  remotes: profile.remotes.map(({ host, port, protocol }) => `${host} ${port} ${protocol}`),
  directives: profile.directives.map(({ name, args }) => [name, ...args].join(" ")),
  blocks: Object.keys(profile.blocks),
  secretBlocks: Object.keys(profile.secretBlocks),
  requiresCredentials: profile.requiresCredentials,
  username: profile.credentials?.username ?? null,
});
