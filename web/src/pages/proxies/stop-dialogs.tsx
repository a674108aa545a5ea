import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { StopDialog } from "../../ui/floating.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { UnusedRemoval } from "../../components/unused-removal.tsx";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

interface StopProps {
  readonly proxy: Proxy;
  readonly onClose: () => void;
}

/** Policies that use an upstream proxy, by its name or its id. */
export const policiesThrough = (egress: readonly TunnelEgress[], { id, name }: Proxy): readonly TunnelEgress[] =>
  egress.filter(({ hops }) => hops.some(({ type, target }) => type === "proxy" && [id, name].includes(target)));

/** Shows what ends before a proxy in use is switched off. */
export function OffDialog({ proxy, policies, onClose }: StopProps & { readonly policies: readonly TunnelEgress[] }) {
  const say = useWords().proxies;
  const format = useFormat();
  const toast = useToast();
  const update = useAct("proxies", "update", { renews: ["tproxy", "policyViews", "tunnels"] });
  const turn = (enabled: boolean) => update.mutateAsync({ params: { id: proxy.id }, body: { enabled } });
  return (
    <StopDialog
      onClose={onClose}
      title={say.offTitle(proxy.name)}
      action={say.offAction(proxy.name)}
      says={
        <div className="stack tight">
          {proxy.connections > 0 && <p>{say.connectionsEnd(proxy.connections)}</p>}
          {policies.length > 0 && <p>{say.policiesFail(format.list(policies.map(({ policy }) => policy)))}</p>}
        </div>
      }
      act={async () => {
        await turn(false);
        toast.done(say.isOff(proxy.name), () => void turn(true).catch(toast.failed));
      }}
    />
  );
}

export function RemoveDialog({ proxy, onClose }: StopProps) {
  const say = useWords().proxies;
  const { id, name, connections } = proxy;
  const remove = useAct("proxies", "remove", { renews: ["tproxy"] });
  return (
    <UnusedRemoval
      type="proxy"
      of={proxy}
      says={connections > 0 ? say.connectionsEnd(connections) : say.removeSays(name)}
      act={() => remove.mutateAsync({ params: { id } })}
      onClose={onClose}
    />
  );
}
