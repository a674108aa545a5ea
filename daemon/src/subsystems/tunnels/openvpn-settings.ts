import type { OpenvpnConfig, TunnelConfigInput } from "@portcullis/contract/subsystems/tunnels";
import { refuseField } from "../resources.ts";
import { parseOpenvpnConf, renderOpenvpnConf } from "./openvpn-conf.ts";
import type { OpenvpnProfile } from "./profile.ts";

/** The sealed value of an OpenVPN tunnel, as JSON. */
export interface OpenvpnSecrets {
  /** By their tag: key, tls-auth, tls-crypt and so on. */
  readonly blocks: Readonly<Record<string, string>>;
  readonly username: string | null;
  readonly password: string | null;
}

interface OpenvpnParts {
  readonly config: OpenvpnConfig;
  readonly secrets: OpenvpnSecrets;
}

/** What was asked on top of what stood → what anybody may see, and what nobody may. */
export function openvpnParts(asked: TunnelConfigInput, before?: OpenvpnParts): OpenvpnParts {
  const { username, password } = credentialsOf(asked, before?.secrets);
  const profile = harmless({
    remotes: asked.remotes ?? before?.config.remotes ?? [],
    directives: asked.directives ?? before?.config.directives ?? [],
    blocks: blocksOf(asked.blocks ?? {}, { ...before?.config.blocks, ...before?.secrets.blocks }),
    secretBlocks: {},
    asksForCredentials: username !== null || asksAnyway(asked, before),
    credentials: null,
  });
  return {
    config: {
      remotes: [...profile.remotes],
      directives: profile.directives.map(({ name, args }) => ({ name, args: [...args] })),
      blocks: { ...profile.blocks },
      secret_blocks: Object.keys(profile.secretBlocks).toSorted(),
      asks_for_credentials: profile.asksForCredentials,
      username,
      has_password: password !== null,
    },
    secrets: { blocks: profile.secretBlocks, username, password },
  };
}

/** A file that was read, in the words of a request. What is given along with it counts more than what stands in it. */
export const openvpnInput = (
  profile: OpenvpnProfile,
  credentials: { readonly username?: string; readonly password?: string },
): TunnelConfigInput => ({
  remotes: [...profile.remotes],
  directives: [
    ...profile.directives.map(({ name, args }) => ({ name, args: [...args] })),
    ...(profile.asksForCredentials ? [asking] : []),
  ],
  blocks: { ...profile.blocks, ...profile.secretBlocks },
  ...profile.credentials,
  ...credentials,
});

/** The other way round, for a file: where there is a secret stands only that there is one. */
export const openvpnProfile = (config: OpenvpnConfig): OpenvpnProfile => ({
  remotes: config.remotes,
  directives: config.directives,
  blocks: config.blocks,
  secretBlocks: Object.fromEntries(config.secret_blocks.map((tag) => [tag, ""])),
  asksForCredentials: config.asks_for_credentials,
  credentials: null,
});

const asking = { name: "auth-user-pass", args: [] };

const asksAnyway = ({ directives }: TunnelConfigInput, before: OpenvpnParts | undefined): boolean =>
  directives?.some(({ name }) => name === asking.name) ?? before?.config.asks_for_credentials ?? false;

function credentialsOf(asked: TunnelConfigInput, before: OpenvpnSecrets | undefined) {
  const username = asked.username === undefined ? (before?.username ?? null) : asked.username;
  const password = asked.password === undefined ? (before?.password ?? null) : asked.password;
  if ((username === null) !== (password === null))
    return refuseField(username === null ? "config.username" : "config.password", "is missing: the two go together");
  return { username, password };
}

/** By tag: what is given replaces, null takes away, the others stay. */
function blocksOf(
  asked: Readonly<Record<string, string | null>>,
  before: Readonly<Record<string, string>>,
): Record<string, string> {
  const wanted = { ...before, ...asked };
  const kept = Object.entries(wanted).filter((it): it is [string, string] => it[1] !== null);
  // Nothing that belongs into a block has this sign, and what does could end the block and go on as it likes.
  const broken = kept.find(([, text]) => text.includes("<"));
  return broken ? refuseField("config.blocks", `holds a ${broken[0]} that is none`) : Object.fromEntries(kept);
}

/** There is one judge of what is harmless, and it reads files. So a request becomes one. */
function harmless(wanted: OpenvpnProfile): OpenvpnProfile {
  const directives = wanted.directives.filter(({ name }) => name !== asking.name);
  const reading = parseOpenvpnConf(renderOpenvpnConf({ ...wanted, directives }, ""));
  if (reading.kind === "read") return reading.profile;
  return refuseField("config", reading.refusals.map(({ problem }) => problem).join(" "));
}
