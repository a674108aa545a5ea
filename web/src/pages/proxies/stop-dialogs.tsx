import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { StopDialog } from "../../ui/floating.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { UnusedRemoval } from "../../components/unused-removal.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

interface StopProps {
  readonly proxy: Proxy;
  readonly onClose: () => void;
}

/** Policies that use an upstream proxy, by its name or its id. */
export const policiesThrough = (egress: readonly TunnelEgress[], { id, name }: Proxy): readonly TunnelEgress[] =>
  egress.filter(({ hops }) => hops.some(({ type, target }) => type === "proxy" && [id, name].includes(target)));

/** Shows what ends before a proxy in use is switched off. */
export function OffDialog({ proxy, policies, onClose }: StopProps & { readonly policies: readonly TunnelEgress[] }) {
  const t = useTranslation().proxies;
  const format = useFormat();
  const toast = useToast();
  const update = useAction("proxies", "update", { invalidates: ["tproxy", "policyViews", "tunnels"] });
  const toggle = (enabled: boolean) => update.mutateAsync({ params: { id: proxy.id }, body: { enabled } });
  return (
    <StopDialog
      onClose={onClose}
      title={t.offTitle(proxy.name)}
      action={t.offAction(proxy.name)}
      text={
        <div className="stack tight">
          {proxy.connections > 0 && <p>{t.connectionsEnd(proxy.connections)}</p>}
          {policies.length > 0 && <p>{t.policiesFail(format.list(policies.map(({ policy }) => policy)))}</p>}
        </div>
      }
      act={async () => {
        await toggle(false);
        toast.done(t.isOff(proxy.name), () => void toggle(true).catch(toast.failed));
      }}
    />
  );
}

export function RemoveDialog({ proxy, onClose }: StopProps) {
  const t = useTranslation().proxies;
  const { id, name, connections } = proxy;
  const remove = useAction("proxies", "remove", { invalidates: ["tproxy"] });
  return (
    <UnusedRemoval
      type="proxy"
      of={proxy}
      text={connections > 0 ? t.connectionsEnd(connections) : t.removeText(name)}
      act={() => remove.mutateAsync({ params: { id } })}
      onClose={onClose}
    />
  );
}
