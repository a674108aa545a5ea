import type { Proxy } from "@portcullis/contract/subsystems/proxies";

/** The fields of the form. */
export interface ProxyFields {
  readonly kind: Proxy["kind"];
  readonly name: string;
  /** Listen address, or address of the server. */
  readonly index: string;
  readonly username: string;
  readonly password: string;
  readonly tunnelId: string;
  readonly enabled: boolean;
}

export const fieldsOf = (proxy: Proxy | undefined): ProxyFields => ({
  kind: proxy?.kind ?? "local",
  name: proxy?.name ?? "",
  index: (proxy?.kind === "upstream" ? proxy.address : proxy?.listen) ?? "",
  username: proxy?.username ?? "",
  password: "",
  tunnelId: proxy?.tunnel_id ?? "",
  enabled: proxy?.enabled ?? true,
});

/** An empty password keeps the stored one, as long as there is a user. */
export function bodyOf({ kind, name, index, username, password, tunnelId, enabled }: ProxyFields, before?: Proxy) {
  const where = index.trim() === "" ? null : index.trim();
  const who = username.trim() === "" ? null : username.trim();
  const trimmed = name.trim();
  return {
    // Policies may refer to the name: it is sent only when it changes.
    ...(trimmed !== before?.name && { name: trimmed }),
    ...(kind === "local" ? { listen: where, tunnel_id: tunnelId === "" ? null : tunnelId } : { address: where }),
    username: who,
    ...passwordOf(who, password, before),
    enabled,
  };
}

function passwordOf(username: string | null, password: string, before?: Proxy): { readonly password?: string | null } {
  if (password !== "") return { password };
  return username === null && before?.has_password ? { password: null } : {};
}
