import type { OpenvpnConfig, TunnelConfigInput } from "@portcullis/contract/subsystems/tunnels";
import { refuseField } from "../resources.ts";
import { neededAgain, secretAfter } from "../sent-secrets.ts";
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
interface ChangedParts extends OpenvpnParts {
  /** Whether the stored password was dropped, because it would have gone to another server. */
  readonly isDiscarded: boolean;
}

/** What was asked on top of what stood → what anybody may see, and what nobody may. */
export function openvpnParts(asked: TunnelConfigInput, before?: OpenvpnParts): ChangedParts {
  const profile = checkedProfile({
    remotes: asked.remotes ?? before?.config.remotes ?? [],
    directives: asked.directives ?? before?.config.directives ?? [],
    blocks: blocksOf(asked.blocks ?? {}, { ...before?.config.blocks, ...before?.secrets.blocks }),
    secretBlocks: {},
    requiresCredentials: loginOf(asked, before) !== null || requiresAnyway(asked, before),
    credentials: null,
  });
  const after = { config: profile, secrets: { blocks: profile.secretBlocks } };
  const { username, password, isDiscarded } = credentialsOf(asked, before, after);
  return {
    isDiscarded,
    config: {
      remotes: [...profile.remotes],
      directives: profile.directives.map(({ name, args }) => ({ name, args: [...args] })),
      blocks: { ...profile.blocks },
      secret_blocks: Object.keys(profile.secretBlocks).toSorted(),
      requires_credentials: profile.requiresCredentials,
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
    ...(profile.requiresCredentials ? [authUserPass] : []),
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
  requiresCredentials: config.requires_credentials,
  credentials: null,
});

const authUserPass = { name: "auth-user-pass", args: [] };

const requiresAnyway = ({ directives }: TunnelConfigInput, before: OpenvpnParts | undefined): boolean =>
  directives?.some(({ name }) => name === authUserPass.name) ?? before?.config.requires_credentials ?? false;

const loginOf = ({ username }: TunnelConfigInput, before: OpenvpnParts | undefined): string | null =>
  username === undefined ? (before?.secrets.username ?? null) : username;

function credentialsOf(asked: TunnelConfigInput, before: OpenvpnParts | undefined, after: Destination) {
  const stored = before?.secrets.password ?? null;
  const { isDiscarded } = secretAfter({
    requested: asked.password,
    isStored: stored !== null,
    before: before ? serverOf(before) : "",
    after: serverOf(after),
  });
  const known = isDiscarded ? undefined : before?.secrets;
  const username = asked.username === undefined ? (known?.username ?? null) : asked.username;
  const password = asked.password === undefined ? (known?.password ?? null) : asked.password;
  if ((username === null) !== (password === null))
    return refuseField(
      username === null ? "config.username" : "config.password",
      isDiscarded ? neededAgain : "is missing: the two go together",
    );
  return { username, password, isDiscarded };
}

interface Destination {
  readonly config: Pick<OpenvpnProfile, "remotes" | "directives" | "blocks">;
  readonly secrets: { readonly blocks: Readonly<Record<string, string>> };
}

/**
 * Who is sent the password: the servers, and everything by which OpenVPN tells them from others. Private and static keys
 * do not matter here: they are never sent.
 */
function serverOf({ config: { remotes, directives, blocks }, secrets }: Destination): string {
  const checks = directives.filter(({ name }) => name !== authUserPass.name && !tuning.has(name));
  const { ca, "crl-verify": revoked, "extra-certs": chain } = blocks as Partial<Record<string, string>>;
  return JSON.stringify([
    remotes.map(({ host, port, protocol }) => [host.toLowerCase(), port, protocol]),
    [ca, revoked, chain, secrets.blocks["pkcs12"]],
    checks.map(({ name, args }) => JSON.stringify([name, ...args])).toSorted(),
  ]);
}

/** Directives about timing and sizes. Every other one may decide who passes for the server. */
const tuning: ReadonlySet<string> = new Set(
  (
    "auth-nocache auth-retry comp-lzo comp-noadapt compress connect-retry connect-retry-max connect-timeout " +
    "explicit-exit-notify fast-io fragment hand-window keepalive link-mtu mssfix mtu-disc mute-replay-warnings nobind ping " +
    "ping-exit ping-restart ping-timer-rem rcvbuf remote-random reneg-bytes reneg-pkts reneg-sec replay-window " +
    "resolv-retry server-poll-timeout sndbuf socket-flags tls-timeout topology tran-window tun-mtu tun-mtu-extra"
  ).split(" "),
);

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
function checkedProfile(wanted: OpenvpnProfile): OpenvpnProfile {
  const directives = wanted.directives.filter(({ name }) => name !== authUserPass.name);
  const reading = parseOpenvpnConf(renderOpenvpnConf({ ...wanted, directives }, ""));
  if (reading.kind === "read") return reading.profile;
  return refuseField("config", reading.refusals.map(({ problem }) => problem).join(" "));
}
