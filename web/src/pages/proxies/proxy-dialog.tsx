import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import { useQuery } from "@tanstack/react-query";
import { allRows } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { EntryDialog } from "../../ui/body-form.tsx";
import { useToast } from "../../ui/toasts.tsx";

interface DialogProps {
  /** Absent: a new proxy. */
  readonly proxy?: Proxy | undefined;
  readonly onClose: () => void;
}

export function ProxyDialog({ proxy, onClose }: DialogProps) {
  const { proxies: t } = useTranslation();
  const toast = useToast();
  const tunnels = useQuery(allRows("tunnels", "list")).data ?? [];
  return (
    <EntryDialog
      of="proxies"
      row={proxy}
      first={{ kind: "local", enabled: true }}
      onClose={onClose}
      invalidates={["tproxy", "policyViews"]}
      onDone={({ name = "" }) => toast.done(t.saved(name))}
      title={proxy ? t.editTitle(proxy.name) : t.addOne}
      fields={({ kind = "local" }) => [
        !proxy && "kind",
        "name",
        kind === "local" ? "listen" : "address",
        kind === "local" && "tunnel_id",
        ["username", "password"],
        "enabled",
      ]}
      texts={({ kind = "local", tunnel_id }) => {
        // A local server without a tunnel is open to the uplink: the gateway requires a user.
        const needed = kind === "local" && (tunnel_id ?? null) === null;
        return {
          kind: { label: t.kind, hint: t.kindHints[kind], options: t.kinds },
          name: t.name,
          listen: { label: t.listen, hint: t.listenHint, needed: true },
          address: { label: t.address, hint: t.addressHint, needed: true },
          tunnel_id: { label: t.tunnel, hint: needed ? t.uplinkHint : t.tunnelHint },
          username: { label: t.username, needed },
          password: { label: t.password, needed, ...(proxy?.has_password && { hint: t.passwordKept }) },
          enabled: t.enabled,
        };
      }}
      options={{
        tunnel_id: [{ value: "", label: t.uplink }, ...tunnels.map(({ id, name }) => ({ value: id, label: name }))],
      }}
      examples={{ listen: "192.168.1.1:1080", address: "203.0.113.9:1080" }}
      // There is no password without a user.
      body={({ username }) => (proxy?.has_password && username === null ? { password: null } : {})}
    />
  );
}
