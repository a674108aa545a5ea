import { because, explained, reported } from "@portcullis/contract/reason";
import { formatAddress, parseAddress } from "../../net/addresses.ts";
import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type {
  dnsExtfilter,
  ExternalFilter,
  ExternalFilterCondition,
  PublishedExternalFilter,
} from "@portcullis/contract/subsystems/dns-settings";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { given, refuseField } from "../resources.ts";
import { serial } from "../../system/async.ts";
import { type SecretKeeping, sealedResource } from "../sealed.ts";
import { discardedPassword, neededAgain, secretAfter } from "../sent-secrets.ts";
import { adguard, type FilterApi, type SendHttp } from "./adguard.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly secrets: SecretKeeping;
  readonly sendHttp: SendHttp;
  /** Whether dns.backend of the bootstrap file selects it. */
  readonly isBackend: boolean;
  /** The status of its resolver, as the frontends observe it. */
  readonly condition: () => Promise<ExternalFilterCondition>;
}

type Kept = PublishedExternalFilter;
type PutBody = InputOf<typeof dnsExtfilter.put>["body"];

export type Extfilter = ReturnType<typeof extfilterService>;

/** An external filter that receives the queries before the gateway's own resolver. */
export function extfilterService({ ledger, secrets, sendHttp, isBackend, condition }: Needs) {
  const collection = ledger.staged<Kept>("dns_extfilter");
  const sealed = sealedResource<Kept>({ ledger, secrets, kind: "dns_extfilter" });
  const inTurn = serial();
  const api = adguard(sendHttp);
  const byDefault: Kept = { ...blank, enabled: isBackend };
  const kept = (): Kept => collection.get(extfilterId) ?? byDefault;

  async function apiOf({ url, username, secret }: Kept): Promise<FilterApi> {
    if (url === null) throw new Error("the URL of its API is not set");
    if (secret && isReadable(url)) throw new Error(`the password is not sent: ${readable}`);
    const password = secret ? await secrets.revealFor(secret) : "";
    return { url, login: username === null ? null : { username, password } };
  }
  async function status(): Promise<ExternalFilter> {
    const filter = kept();
    const { enabled, url, dns_address, username, has_password } = filter;
    const { reason: _, coded_reason: why, ...resolving } = await condition();
    const settings = { enabled, url, dns_address, username, has_password, ...resolving };
    if (url === null && dns_address === null)
      return { configured: false, ...settings, ...unreachable, ...explained(because("extfilter_unconfigured")) };
    try {
      const answers = await api.status(await apiOf(filter));
      return { configured: true, ...settings, reachable: true, ...answers, ...explained(why) };
    } catch (error) {
      if (error instanceof Problem) throw error;
      const failure = because("extfilter_api", { why: reported((error as Error).message) });
      return { configured: true, ...settings, ...unreachable, ...explained(failure) };
    }
  }
  /** The setting is stored even if the filter does not answer; its status is in the response. */
  async function setEnabled(cause: Cause, enabled: boolean): Promise<ExternalFilter> {
    await inTurn(async () => {
      const before = collection.get(extfilterId);
      const wanted = normalize({ ...kept(), enabled });
      await sealed.put(cause, before, wanted, { kind: "keep" });
    });
    try {
      await api.setProtection(await apiOf(kept()), enabled);
    } catch (error) {
      if (error instanceof Problem) throw error; // Other errors mean that the filter does not answer, which the status reports.
    }
    return status();
  }

  /** Returns whether the stored password was discarded. */
  const write = (cause: Cause, { password, ...requested }: PutBody): Promise<boolean> =>
    inTurn(async () => {
      const before = collection.get(extfilterId);
      const after = { ...kept(), ...given(requested) };
      const secret = secretAfter({
        requested: password,
        isStored: kept().has_password,
        before: destinationOf(kept()),
        after: destinationOf(after),
      });
      const username = secret.isDiscarded ? (requested.username ?? null) : after.username;
      const wanted = normalize({ ...after, username, has_password: secret.isStored });
      if ((wanted.username !== null) !== wanted.has_password)
        refuseField(wanted.has_password ? "username" : "password", secret.isDiscarded ? neededAgain : missing);
      if (wanted.has_password && isReadable(wanted.url)) refuseField("url", readable);
      await sealed.put(cause, before, wanted, secret.change);
      return secret.isDiscarded;
    });

  return {
    status,
    isEnabled: (): boolean => kept().enabled,
    /** Without a request to the filter. */
    write,
    put: async (cause: Cause, body: PutBody): Promise<ExternalFilter> => {
      const isDiscarded = await write(cause, body);
      return { ...(await status()), ...(isDiscarded && discardedPassword) };
    },
    enable: (cause: Cause) => setEnabled(cause, true),
    disable: (cause: Cause) => setEnabled(cause, false),
  };
}

export const extfilterId = "extfilter";

const blank = {
  id: extfilterId,
  name: "External filter",
  enabled: false,
  url: null,
  dns_address: null,
  username: null,
  has_password: false,
  secret: null,
} as const;

const unreachable = {
  reachable: false,
  running: false,
  protection_enabled: false,
  protection_paused_ms: null,
  version: null,
};

const missing = "is missing: username and password belong together";
const readable = "with a password it must be https, unless the filter runs on the gateway itself";

/** The destination of its password: scheme, host, port and path in canonical form. */
const destinationOf = ({ url }: Pick<Kept, "url">): string =>
  (url === null ? "" : (URL.parse(url)?.href ?? url)).replace(/\/+$/, "");

/** Whether a password would be sent in the clear. */
function isReadable(url: string | null): boolean {
  const { protocol, hostname = "" } = (url === null ? null : URL.parse(url)) ?? {};
  return protocol === "http:" && hostname !== "localhost" && hostname !== "[::1]" && !/^127\.[\d.]+$/.test(hostname);
}

function normalize(filter: Kept): Kept {
  if (filter.url !== null && URL.parse(filter.url) === null) refuseField("url", "is not a valid URL");
  if (filter.enabled && filter.dns_address === null)
    throw new Problem(
      "conflict",
      { field: "dns_address" },
      { message: "The filter cannot be enabled without dns_address" },
    );
  return filter.dns_address === null ? filter : { ...filter, dns_address: normalizeAddress(filter.dns_address) };
}

function normalizeAddress(text: string): string {
  const [, v6, v4, digits = "53"] = /^(?:\[(.+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = parseAddress(v6 ?? v4 ?? text);
  const port = Number(digits);
  if (!address || port < 1 || port > 65_535)
    return refuseField("dns_address", "must be an address and a port, such as 192.168.1.5:53");
  const host = formatAddress(address);
  return `${address.family === 6 ? `[${host}]` : host}:${port}`;
}
