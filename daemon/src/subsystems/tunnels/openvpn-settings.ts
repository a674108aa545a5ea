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
  /** Whether the stored password was discarded, because it would have been sent to another server. */
  readonly isDiscarded: boolean;
}

/** The request merged with the previous configuration → the visible part and the secrets. */
export function openvpnParts(requested: TunnelConfigInput, before?: OpenvpnParts): ChangedParts {
  const profile = checkedProfile({
    remotes: requested.remotes ?? before?.config.remotes ?? [],
    directives: requested.directives ?? before?.config.directives ?? [],
    blocks: blocksOf(requested.blocks ?? {}, { ...before?.config.blocks, ...before?.secrets.blocks }),
    secretBlocks: {},
    requiresCredentials: loginOf(requested, before) !== null || requiresAnyway(requested, before),
    credentials: null,
  });
  const after = { config: profile, secrets: { blocks: profile.secretBlocks } };
  const { username, password, isDiscarded } = credentialsOf(requested, before, after);
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

/** A parsed file in the form of a request. Credentials of the request take precedence over those of the file. */
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

/** The profile of a stored configuration; secrets are empty strings. */
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

function credentialsOf(requested: TunnelConfigInput, before: OpenvpnParts | undefined, after: Destination) {
  const stored = before?.secrets.password ?? null;
  const { isDiscarded } = secretAfter({
    requested: requested.password,
    isStored: stored !== null,
    before: before ? serverOf(before) : "",
    after: serverOf(after),
  });
  const known = isDiscarded ? undefined : before?.secrets;
  const username = requested.username === undefined ? (known?.username ?? null) : requested.username;
  const password = requested.password === undefined ? (known?.password ?? null) : requested.password;
  if ((username === null) !== (password === null))
    return refuseField(
      username === null ? "config.username" : "config.password",
      isDiscarded ? neededAgain : "is missing: username and password belong together",
    );
  return { username, password, isDiscarded };
}

interface Destination {
  readonly config: Pick<OpenvpnProfile, "remotes" | "directives" | "blocks">;
  readonly secrets: { readonly blocks: Readonly<Record<string, string>> };
}

/**
 * The destination of the password: the servers, and everything by which OpenVPN authenticates them. Private and static
 * keys are not included: they are never sent.
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

/** Directives about timing and sizes. Every other one may affect the authentication of the server. */
const tuning: ReadonlySet<string> = new Set(
  (
    "auth-nocache auth-retry comp-lzo comp-noadapt compress connect-retry connect-retry-max connect-timeout " +
    "explicit-exit-notify fast-io fragment hand-window keepalive link-mtu mssfix mtu-disc mute-replay-warnings nobind ping " +
    "ping-exit ping-restart ping-timer-rem rcvbuf remote-random reneg-bytes reneg-pkts reneg-sec replay-window " +
    "resolv-retry server-poll-timeout sndbuf socket-flags tls-timeout topology tran-window tun-mtu tun-mtu-extra"
  ).split(" "),
);

/** By tag: given blocks replace the old ones, null removes one, the others stay. */
function blocksOf(
  requested: Readonly<Record<string, string | null>>,
  before: Readonly<Record<string, string>>,
): Record<string, string> {
  const wanted = { ...before, ...requested };
  const kept = Object.entries(wanted).filter((it): it is [string, string] => it[1] !== null);
  // No valid content contains this character, with which a text could end its block and add directives.
  const broken = kept.find(([, text]) => text.includes("<"));
  return broken ? refuseField("config.blocks", `contains an invalid ${broken[0]}`) : Object.fromEntries(kept);
}

/** Validates the request with the parser of files: it is rendered as a file and parsed again. */
function checkedProfile(wanted: OpenvpnProfile): OpenvpnProfile {
  const directives = wanted.directives.filter(({ name }) => name !== authUserPass.name);
  const result = parseOpenvpnConf(renderOpenvpnConf({ ...wanted, directives }, ""));
  if (result.kind === "read") return result.profile;
  return refuseField("config", result.refusals.map(({ problem }) => problem).join(" "));
}
