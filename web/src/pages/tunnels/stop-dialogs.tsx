import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import { CodeBlock } from "../../ui/code.tsx";
import { Dialog, StopDialog } from "../../ui/floating.tsx";
import { Loaded } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, apiQuery, useAction } from "../../api/queries.ts";
import { UnusedRemoval } from "../../components/unused-removal.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { consequencesOf } from "./consequences.ts";

interface StopProps {
  readonly tunnel: Tunnel;
  readonly policies: readonly TunnelEgress[];
  readonly onClose: () => void;
}

const maxNamed = 6;

/** Shows which devices are blocked or direct before a tunnel that is up is switched off. */
export function DownDialog({ tunnel, policies, onClose }: StopProps) {
  const t = useTranslation().tunnels;
  const format = useFormat();
  const toast = useToast();
  const { id, name } = tunnel;
  const invalidates = ["policyViews", "enforcement"] as const;
  const up = useAction("tunnels", "up", { invalidates });
  const down = useAction("tunnels", "down", { invalidates });
  const matrix = useQuery(allRows("policyViews", "leakMatrix"));
  const fails = useQuery(apiQuery("policyViews", "failMatrix"));
  const whenDown = new Map(fails.data?.map((row) => [row.policy_id, row.when_down]));
  const named = (names: readonly string[]) =>
    names.length > maxNamed
      ? t.andMore(names.slice(0, maxNamed).join(", "), names.length - maxNamed)
      : format.list(names);
  return (
    <StopDialog
      onClose={onClose}
      title={t.downTitle(name)}
      action={t.switchOffName(name)}
      act={async () => {
        await down.mutateAsync({ params: { id } });
        toast.done(t.isOff(name), () => up.mutate({ params: { id } }, { onError: toast.failed }));
      }}
      text={
        <div className="stack tight">
          <Loaded query={matrix} lines={2}>
            {(rows) => {
              const { blocked, exposed } = consequencesOf(rows, [name, id]);
              return (
                <>
                  {exposed.length > 0 && <p className="problem bad">{t.goDirect(exposed.length, named(exposed))}</p>}
                  {blocked.length > 0 && <p>{t.goBlocked(blocked.length, named(blocked))}</p>}
                  {blocked.length + exposed.length === 0 && <p>{t.noDeviceLoses}</p>}
                </>
              );
            }}
          </Loaded>
          <p className="quiet fine">{t.policiesThen}</p>
          <ul className="fine">
            {policies.map(({ policy_id, policy }) => {
              const then = whenDown.get(policy_id);
              return (
                <li key={policy_id} className="wrap">
                  {then === undefined ? policy : t.policyThen(policy, then)}
                </li>
              );
            })}
          </ul>
        </div>
      }
    />
  );
}

export function RemoveDialog({ tunnel, onClose }: Omit<StopProps, "policies">) {
  const t = useTranslation().tunnels;
  const remove = useAction("tunnels", "remove", { invalidates: ["policyViews"] });
  return (
    <UnusedRemoval
      type="tunnel"
      of={tunnel}
      text={t.removeText(tunnel.name)}
      act={() => remove.mutateAsync({ params: { id: tunnel.id } })}
      onClose={onClose}
    />
  );
}

/** The configuration file without secrets. */
export function ConfigDialog({ tunnel, onClose }: Omit<StopProps, "policies">) {
  const t = useTranslation().tunnels;
  const file = useQuery(apiQuery("tunnels", "config", { params: { id: tunnel.id } }));
  return (
    <Dialog open onClose={onClose} wide title={t.configTitle(tunnel.name)}>
      <p className="quiet">{t.configText}</p>
      <Loaded query={file} lines={8}>
        {({ filename, text }) => <CodeBlock label={filename} text={text} />}
      </Loaded>
    </Dialog>
  );
}
