import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Form } from "../../ui/form.tsx";
import { PickField } from "../../ui/pick.tsx";
import { everyRow, useAct } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { sharesOf } from "./shares.ts";

interface DialogProps {
  readonly tunnels: ReadonlyMap<string, string>;
  readonly onClose: () => void;
}

/** Sets the pool members as hops of a policy that splits. */
export function ActivateDialog({ tunnels, onClose }: DialogProps) {
  const { splitting: say, kit } = useWords();
  const format = useFormat();
  const [policyId, setPolicyId] = useState("");
  const policies = useQuery(everyRow("routing", "list")).data;
  const endpoints = useQuery(everyRow("splittingEndpoints", "list")).data ?? [];
  const options = useMemo(() => policies?.map(({ id, name }) => ({ value: id, label: name })) ?? [], [policies]);
  const activate = useAct("splitting", "activate", { renews: ["routing", "policyViews", "tunnels"] });
  const shares = sharesOf(endpoints);
  const members = endpoints.filter(({ id }) => shares.has(id));
  const chosen = policies?.find(({ id }) => id === policyId);
  const run = (apply: boolean) => activate.mutate({ body: { policy_id: policyId, apply } });
  const done = activate.data;
  return (
    <Dialog
      open
      onClose={onClose}
      title={say.activate}
      footer={
        done ? (
          <>
            {!done.applied && <LinkButton to="/changes">{say.toChanges}</LinkButton>}
            <Button kind="main" onPress={onClose}>
              {say.finish}
            </Button>
          </>
        ) : (
          <>
            <Button onPress={onClose}>{kit.cancel}</Button>
            <Button busy={activate.isPending} disabled={policyId === ""} onPress={() => run(true)}>
              {say.applyNow}
            </Button>
            <Button kind="main" busy={activate.isPending} disabled={policyId === ""} onPress={() => run(false)}>
              {say.stage}
            </Button>
          </>
        )
      }
    >
      {done ? (
        <p role="status">{say.reason(done.message)}</p>
      ) : (
        <Form onSubmit={() => policyId !== "" && run(false)} problem={activate.error}>
          <PickField
            label={say.policy}
            name="policy_id"
            value={policyId}
            onChange={setPolicyId}
            options={options}
            placeholder={say.pickPolicy}
          />
          {members.length < 2 ? (
            <p className="problem">{say.tooFew}</p>
          ) : (
            <p>
              {say.willSpread(
                chosen?.name ?? say.thePolicy,
                format.list(
                  members.map(({ id, tunnel_id }) =>
                    say.withShare(tunnels.get(tunnel_id) ?? say.unknownTunnel, format.percent(shares.get(id)!)),
                  ),
                ),
              )}
            </p>
          )}
          {chosen && chosen.hops.length > 0 && (
            <p className="quiet">
              {say.replaces(format.list(chosen.hops.map(({ target }) => tunnels.get(target) ?? target)))}
            </p>
          )}
          <p className="quiet fine">{say.applySays}</p>
        </Form>
      )}
    </Dialog>
  );
}
