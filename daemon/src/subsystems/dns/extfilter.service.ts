import { formatAddress, parseAddress } from "@portcullis/contract/addresses";
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
import { oneAtATime, type SecretChange, type SecretKeeping, sealedResource } from "../sealed.ts";
import { adguard, type FilterApi, type HttpExchange } from "./adguard.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly secrets: SecretKeeping;
  readonly exchange: HttpExchange;
  /** Whether the bootstrap file says that it is used. */
  readonly isBackend: boolean;
  /** How it answers questions, as those who hand them on see it. */
  readonly condition: () => Promise<ExternalFilterCondition>;
}

type Kept = PublishedExternalFilter;
type PutBody = InputOf<typeof dnsExtfilter.put>["body"];

export type Extfilter = ReturnType<typeof extfilterService>;

/** A filter elsewhere that is asked before our own resolver. */
export function extfilterService({ ledger, secrets, exchange, isBackend, condition }: Needs) {
  const shelf = ledger.staged<Kept>("dns_extfilter");
  const sealed = sealedResource<Kept>({ ledger, secrets, kind: "dns_extfilter" });
  const inTurn = oneAtATime();
  const api = adguard(exchange);
  const byDefault: Kept = { ...blank, enabled: isBackend };
  const kept = (): Kept => shelf.get(extfilterId) ?? byDefault;

  async function apiOf({ url, username, secret }: Kept): Promise<FilterApi> {
    if (url === null) throw new Error("nobody has said where its API is");
    const password = secret ? await secrets.revealFor(secret) : "";
    return { url, login: username === null ? null : { username, password } };
  }
  async function status(): Promise<ExternalFilter> {
    const filter = kept();
    const { enabled, url, dns_address, username, has_password } = filter;
    const { reason, ...resolving } = await condition();
    const settings = { enabled, url, dns_address, username, has_password, ...resolving };
    if (url === null && dns_address === null)
      return { configured: false, ...settings, ...silent, reason: "it is not set up" };
    try {
      const answers = await api.status(await apiOf(filter));
      return { configured: true, ...settings, reachable: true, ...answers, reason };
    } catch (error) {
      if (error instanceof Problem) throw error;
      return { configured: true, ...settings, ...silent, reason: `Its API: ${(error as Error).message}` };
    }
  }
  /** What was asked is kept whatever the filter says; what it says is in the answer. */
  async function turn(cause: Cause, enabled: boolean): Promise<ExternalFilter> {
    await inTurn(async () => {
      const before = shelf.get(extfilterId);
      const wanted = settle({ ...kept(), enabled });
      await sealed.put(cause, before, wanted, { kind: "keep" });
    });
    try {
      await api.setProtection(await apiOf(kept()), enabled);
    } catch (error) {
      if (error instanceof Problem) throw error; // Anything else is a filter that does not answer; the status tells.
    }
    return status();
  }

  return {
    status,
    isEnabled: (): boolean => kept().enabled,
    put: async (cause: Cause, { password, ...asked }: PutBody): Promise<ExternalFilter> => {
      await inTurn(async () => {
        const before = shelf.get(extfilterId);
        const has_password = password === undefined ? kept().has_password : password !== null;
        const wanted = settle({ ...kept(), ...given(asked), has_password });
        if ((wanted.username !== null) !== has_password)
          refuseField(has_password ? "username" : "password", "is missing: the two go together");
        await sealed.put(cause, before, wanted, fateOf(password));
      });
      return status();
    },
    enable: (cause: Cause) => turn(cause, true),
    disable: (cause: Cause) => turn(cause, false),
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

const silent = {
  reachable: false,
  running: false,
  protection_enabled: false,
  protection_paused_ms: null,
  version: null,
};

function fateOf(password: string | null | undefined): SecretChange {
  if (password === undefined) return { kind: "keep" };
  return password === null ? { kind: "forget" } : { kind: "seal", value: password };
}

function settle(filter: Kept): Kept {
  if (filter.url !== null && URL.parse(filter.url) === null) refuseField("url", "is no address of an API");
  if (filter.enabled && filter.dns_address === null)
    throw new Problem(
      "conflict",
      { field: "dns_address" },
      { message: "The filter cannot be used before the gateway knows where it answers questions (dns_address)" },
    );
  return filter.dns_address === null ? filter : { ...filter, dns_address: placeIn(filter.dns_address) };
}

function placeIn(text: string): string {
  const [, v6, v4, digits = "53"] = /^(?:\[(.+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = parseAddress(v6 ?? v4 ?? text);
  const port = Number(digits);
  if (!address || port < 1 || port > 65_535)
    return refuseField("dns_address", "must be an address and a port, such as 192.168.1.5:53");
  const host = formatAddress(address);
  return `${address.family === 6 ? `[${host}]` : host}:${port}`;
}
