import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import { CodeBlock } from "../../ui/code.tsx";
import { Dialog, StopDialog } from "../../ui/floating.tsx";
import { Loaded } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, reading, useAct } from "../../api/reading.ts";
import { UnusedRemoval } from "../../components/unused-removal.tsx";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { consequencesOf } from "./consequences.ts";

interface StopProps {
  readonly tunnel: Tunnel;
  readonly policies: readonly TunnelEgress[];
  readonly onClose: () => void;
}

const namedMost = 6;

/** Shows which devices are blocked or direct before a tunnel that is up is switched off. */
export function DownDialog({ tunnel, policies, onClose }: StopProps) {
  const say = useWords().tunnels;
  const format = useFormat();
  const toast = useToast();
  const { id, name } = tunnel;
  const renews = ["policyViews", "enforcement"] as const;
  const up = useAct("tunnels", "up", { renews });
  const down = useAct("tunnels", "down", { renews });
  const matrix = useQuery(everyRow("policyViews", "leakMatrix"));
  const fails = useQuery(reading("policyViews", "failMatrix"));
  const whenDown = new Map(fails.data?.map((row) => [row.policy_id, row.when_down]));
  const named = (names: readonly string[]) =>
    names.length > namedMost
      ? say.andMore(names.slice(0, namedMost).join(", "), names.length - namedMost)
      : format.list(names);
  return (
    <StopDialog
      onClose={onClose}
      title={say.downTitle(name)}
      action={say.switchOffName(name)}
      act={async () => {
        await down.mutateAsync({ params: { id } });
        toast.done(say.isOff(name), () => up.mutate({ params: { id } }, { onError: toast.failed }));
      }}
      says={
        <div className="stack tight">
          <Loaded query={matrix} lines={2}>
            {(rows) => {
              const { blocked, exposed } = consequencesOf(rows, [name, id]);
              return (
                <>
                  {exposed.length > 0 && <p className="problem bad">{say.goDirect(exposed.length, named(exposed))}</p>}
                  {blocked.length > 0 && <p>{say.goBlocked(blocked.length, named(blocked))}</p>}
                  {blocked.length + exposed.length === 0 && <p>{say.noDeviceLoses}</p>}
                </>
              );
            }}
          </Loaded>
          <p className="quiet fine">{say.policiesThen}</p>
          <ul className="fine">
            {policies.map(({ policy_id, policy }) => {
              const then = whenDown.get(policy_id);
              return (
                <li key={policy_id} className="wrap">
                  {then === undefined ? policy : say.policyThen(policy, then)}
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
  const say = useWords().tunnels;
  const remove = useAct("tunnels", "remove", { renews: ["policyViews"] });
  return (
    <UnusedRemoval
      type="tunnel"
      of={tunnel}
      says={say.removeSays(tunnel.name)}
      act={() => remove.mutateAsync({ params: { id: tunnel.id } })}
      onClose={onClose}
    />
  );
}

/** The configuration file without secrets. */
export function ConfigDialog({ tunnel, onClose }: Omit<StopProps, "policies">) {
  const say = useWords().tunnels;
  const file = useQuery(reading("tunnels", "config", { params: { id: tunnel.id } }));
  return (
    <Dialog open onClose={onClose} wide title={say.configTitle(tunnel.name)}>
      <p className="quiet">{say.configSays}</p>
      <Loaded query={file} lines={8}>
        {({ filename, text }) => <CodeBlock label={filename} text={text} />}
      </Loaded>
    </Dialog>
  );
}
