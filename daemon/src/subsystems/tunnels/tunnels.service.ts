import { because, explainedAll, type Reason } from "@portcullis/contract/reason";
import type { InputOf, Page } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type {
  PublishedTunnel,
  Tunnel,
  TunnelCondition,
  TunnelConfig,
  TunnelConfigInput,
  tunnels,
} from "@portcullis/contract/subsystems/tunnels";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { keyOf, nameKey } from "../lookup.ts";
import { found, given, newId, pageOf, refuseField, refuseFull, refuseTaken } from "../resources.ts";
import { serial } from "../../system/async.ts";
import { type SecretKeeping, sealedResource, withoutSecret } from "../sealed.ts";
import { discardedPassword } from "../sent-secrets.ts";
import { interfaceFor, kernelNames } from "./interface-name.ts";
import { parseOpenvpnConf, renderOpenvpnConf } from "./openvpn-conf.ts";
import { openvpnInput, openvpnParts, openvpnProfile, type OpenvpnSecrets } from "./openvpn-settings.ts";
import type { ParseResult, Refusal } from "./profile.ts";
import { parseWireguardConf, renderWireguardConf } from "./wireguard-conf.ts";
import { wireguardInput, wireguardParts, wireguardProfile, type WireguardSecrets } from "./wireguard-settings.ts";

type CreateBody = InputOf<typeof tunnels.create>["body"];
type UpdateBody = InputOf<typeof tunnels.update>["body"];
type ListQuery = InputOf<typeof tunnels.list>["query"];
type WireguardFile = InputOf<typeof tunnels.importWireguard>["body"];
type OpenvpnFile = InputOf<typeof tunnels.uploadOvpn>["body"];

/** The sealed value of a tunnel, parsed. */
export type TunnelSecrets = WireguardSecrets | OpenvpnSecrets;

interface Needs {
  readonly ledger: Ledger;
  readonly secrets: SecretKeeping;
  readonly refuseInUse: (kind: string, id: string) => void;
  /** A hop may refer to a tunnel by its name. */
  readonly refuseNamed: (kind: string, name: string) => void;
  /** Interfaces that are in use otherwise. */
  readonly reservedInterfaces: () => readonly string[];
  /** The observed status. */
  readonly condition: (id: string) => TunnelCondition;
}

export type Tunnels = ReturnType<typeof tunnelService>;

/** Tunnels. Their keys are sealed and written in the same transaction. */
export function tunnelService({ ledger, secrets, refuseInUse, refuseNamed, reservedInterfaces, condition }: Needs) {
  const collection = ledger.staged<PublishedTunnel>("tunnel");
  const sealed = sealedResource<PublishedTunnel>({ ledger, secrets, kind: "tunnel" });
  const inTurn = serial();

  const shown = (tunnel: PublishedTunnel): Tunnel => ({ ...withoutSecret(tunnel), ...condition(tunnel.id) });
  const isReserved = (name: string): boolean => kernelNames.includes(name) || reservedInterfaces().includes(name);
  const isTaken = (name: string): boolean => isReserved(name) || collection.all().some((it) => it.interface === name);

  function refuseInterface(name: string, own: string): void {
    if (isReserved(name)) refuseField("interface", "is in use otherwise");
    refuseTaken(collection, "tunnel", "interface", name, own);
  }

  async function make(cause: Cause, { config, ...requested }: CreateBody): Promise<Tunnel> {
    refuseFull(collection, "tunnels");
    const id = newId();
    const parts = partsOf(requested.type, config);
    const name = requested.interface ?? interfaceFor(requested.type, requested.name, isTaken);
    refuseInterface(name, id);
    refuseTaken(collection, "tunnel", "name", requested.name);
    const tunnel = { ...blank, ...given(requested), ...parts.shown, id, interface: name, secret: null };
    const value = JSON.stringify(parts.secrets);
    return shown(await sealed.put(cause, undefined, tunnel as PublishedTunnel, { kind: "seal", value }));
  }
  const importing = (
    cause: Cause,
    requested: Omit<CreateBody, "name"> & { readonly name?: string },
    notes: readonly Reason[],
  ): Promise<Tunnel & ImportNotes> =>
    inTurn(async () => {
      const name = requested.name ?? freeName(hostIn(requested.config) ?? requested.type);
      return { ...(await make(cause, { ...requested, name })), ...explainedAll("notes", notes) };
    });
  function freeName(wish: string): string {
    const taken = new Set(collection.all().map(keyOf));
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? wish : `${wish} ${number}`;
      if (!taken.has(nameKey(candidate))) return candidate;
    }
  }

  /** The unsealed secrets. If they cannot be decrypted, a request with new keys starts with empty secrets. */
  async function unsealed({ type, secret }: PublishedTunnel, requested: TunnelConfigInput): Promise<string> {
    try {
      return await secrets.revealFor(secret!);
    } catch (error) {
      const isLost = error instanceof Problem && error.code === "secrets_undecipherable";
      if (isLost && (requested.private_key ?? requested.blocks) !== undefined)
        return JSON.stringify(nothingSealed[type]);
      throw error;
    }
  }

  return {
    list: (query: ListQuery): Page<Tunnel> => {
      const { items, ...rest } = pageOf(collection, query, matcher(query, condition));
      return { items: items.map(shown), ...rest };
    },
    get: (id: string): Tunnel => shown(found(collection, "tunnel", id)),
    create: (cause: Cause, body: CreateBody): Promise<Tunnel> => inTurn(() => make(cause, body)),
    update: (cause: Cause, id: string, { config, type, ...requested }: UpdateBody): Promise<Tunnel> =>
      inTurn(async () => {
        const before = found(collection, "tunnel", id);
        if (type !== undefined && type !== before.type) refuseField("type", "cannot change; make another tunnel");
        if (requested.name !== undefined && requested.name !== before.name) refuseNamed("tunnel", before.name);
        if (requested.interface !== undefined) refuseInterface(requested.interface, id);
        const wanted = { ...before, ...given(requested) };
        if (config === undefined) return shown(await sealed.put(cause, before, wanted, { kind: "keep" }));
        const known = await unsealed(before, config);
        const parts = partsOf(before.type, config, {
          config: before.config,
          secrets: JSON.parse(known) as TunnelSecrets,
        });
        const value = JSON.stringify(parts.secrets);
        const changed = { ...wanted, ...parts.shown } as PublishedTunnel;
        const details = parts.isDiscarded ? discardedPassword : {};
        const change = value === known ? ({ kind: "keep" } as const) : ({ kind: "seal", value, details } as const);
        return { ...shown(await sealed.put(cause, before, changed, change)), ...details };
      }),
    remove: (cause: Cause, id: string): void => {
      found(collection, "tunnel", id);
      refuseInUse("tunnel", id);
      sealed.remove(cause, id);
    },
    /** A request without a change is audited too: it retries a failed tunnel. */
    switch: (cause: Cause, id: string, enabled: boolean | undefined): void => {
      const tunnel = found(collection, "tunnel", id);
      ledger.change(cause, (draft) => {
        draft.put("tunnel", { ...tunnel, enabled: enabled ?? !tunnel.enabled } as PublishedTunnel);
        draft.about(id);
      });
    },
    importWireguard: async (cause: Cause, { config, ...requested }: WireguardFile) => {
      const { profile, notes } = readOrRefuse(parseWireguardConf(config));
      if (profile.privateKey === null) refuseFile([{ line: null, problem: "[Interface] has no PrivateKey." }]);
      const settings = { ...given({ mtu: profile.mtu ?? undefined }), ...requested };
      return importing(cause, { ...settings, type: "wireguard", config: wireguardInput(profile) }, notes);
    },
    uploadOvpn: async (cause: Cause, { config, username, password, ...requested }: OpenvpnFile) => {
      const { profile, notes } = readOrRefuse(parseOpenvpnConf(config));
      const input = openvpnInput(profile, given({ username, password }));
      const lacks = profile.requiresCredentials && input.username === undefined;
      return importing(
        cause,
        { ...requested, type: "openvpn", config: input },
        lacks ? [...notes, because("import_needs_credentials")] : notes,
      );
    },
    /** The configuration file, with comments in place of secrets. */
    file: (id: string): { type: Tunnel["type"]; filename: string; text: string } => {
      const tunnel = found(collection, "tunnel", id);
      return tunnel.type === "wireguard"
        ? {
            type: tunnel.type,
            filename: `${tunnel.interface}.conf`,
            text: renderWireguardConf(wireguardProfile(tunnel.config, tunnel.mtu), secretNote),
          }
        : {
            type: tunnel.type,
            filename: `${tunnel.interface}.ovpn`,
            text: renderOpenvpnConf(openvpnProfile(tunnel.config), secretNote),
          };
    },
  };
}

const blank = { enabled: true, mtu: null, probe_target: null } as const;

const secretNote = "stored by the gateway, not shown";

const nothingSealed = {
  wireguard: { private_key: "", preshared_keys: {} },
  openvpn: { blocks: {}, username: null, password: null },
} as const satisfies Record<Tunnel["type"], TunnelSecrets>;

const fieldsOf = {
  wireguard: ["private_key", "addresses", "dns", "listen_port", "peers"],
  openvpn: ["remotes", "directives", "blocks", "username", "password"],
} as const satisfies Record<Tunnel["type"], readonly (keyof TunnelConfigInput)[]>;

interface Before {
  readonly config: TunnelConfig["config"];
  readonly secrets: TunnelSecrets;
}

/** The request merged with the previous configuration, by type. The type of a tunnel never changes. */
function partsOf(type: Tunnel["type"], requested: TunnelConfigInput, before?: Before) {
  const unknown = Object.keys(requested).find((field) => !(fieldsOf[type] as readonly string[]).includes(field));
  if (unknown !== undefined) refuseField(`config.${unknown}`, `is not a field of ${type}`);
  if (type === "wireguard") {
    const { config, secrets } = wireguardParts(requested, before as Parameters<typeof wireguardParts>[1]);
    // WireGuard never sends a secret: both peers prove that they have it.
    return { shown: { type, config }, secrets, isDiscarded: false };
  }
  const { config, secrets, isDiscarded } = openvpnParts(requested, before as Parameters<typeof openvpnParts>[1]);
  return { shown: { type, config }, secrets, isDiscarded };
}

type ImportNotes = ReturnType<typeof explainedAll<"notes">>;

function readOrRefuse<P>(result: ParseResult<P>): { readonly profile: P; readonly notes: readonly Reason[] } {
  return result.kind === "read" ? result : refuseFile(result.refusals);
}

function refuseFile(refusals: readonly Refusal[]): never {
  const [first] = refusals;
  const position = first?.line == null ? "" : `Line ${first.line}: `;
  throw new Problem(
    "invalid_request",
    { refusals },
    { message: `${position}${first?.problem ?? "The file is invalid"}` },
  );
}

/** The default name of a tunnel: its server. */
function hostIn({ peers = [], remotes = [] }: TunnelConfigInput): string | undefined {
  const endpoint = peers.find((peer) => peer.endpoint != null)?.endpoint;
  return (endpoint?.replace(/:\d+$/, "") ?? remotes[0]?.host)?.slice(0, 100);
}

/** The filter of a list; undefined: all tunnels. */
function matcher(
  { type, enabled, status }: ListQuery,
  condition: Needs["condition"],
): ((tunnel: PublishedTunnel) => boolean) | undefined {
  if (type === undefined && enabled === undefined && status === undefined) return undefined;
  return (tunnel) =>
    (type === undefined || tunnel.type === type) &&
    (enabled === undefined || tunnel.enabled === enabled) &&
    (status === undefined || condition(tunnel.id).status === status);
}
