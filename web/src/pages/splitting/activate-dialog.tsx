import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Form } from "../../ui/form.tsx";
import { PickField } from "../../ui/pick.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { sharesOf } from "./shares.ts";
import { reasonIn, useReason } from "../../i18n/reason.ts";

interface DialogProps {
  readonly tunnels: ReadonlyMap<string, string>;
  readonly onClose: () => void;
}

/** Sets the pool members as hops of a policy that splits. */
export function ActivateDialog({ tunnels, onClose }: DialogProps) {
  const { splitting: t, ui } = useTranslation();
  const format = useFormat();
  const why = useReason();
  const [policyId, setPolicyId] = useState("");
  const policies = useQuery(allRows("routing", "list")).data;
  const endpoints = useQuery(allRows("splittingEndpoints", "list")).data ?? [];
  const options = useMemo(() => policies?.map(({ id, name }) => ({ value: id, label: name })) ?? [], [policies]);
  const activate = useAction("splitting", "activate", { invalidates: ["routing", "policyViews", "tunnels"] });
  const shares = sharesOf(endpoints);
  const members = endpoints.filter(({ id }) => shares.has(id));
  const chosen = policies?.find(({ id }) => id === policyId);
  const run = (apply: boolean) => activate.mutate({ body: { policy_id: policyId, apply } });
  const done = activate.data;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.activate}
      footer={
        done ? (
          <>
            {!done.applied && <LinkButton to="/changes">{t.toChanges}</LinkButton>}
            <Button kind="main" onPress={onClose}>
              {t.finish}
            </Button>
          </>
        ) : (
          <>
            <Button onPress={onClose}>{ui.cancel}</Button>
            <Button busy={activate.isPending} disabled={policyId === ""} onPress={() => run(true)}>
              {t.applyNow}
            </Button>
            <Button kind="main" busy={activate.isPending} disabled={policyId === ""} onPress={() => run(false)}>
              {t.stage}
            </Button>
          </>
        )
      }
    >
      {done ? (
        <p role="status">{why.sentence(reasonIn("message", done))}</p>
      ) : (
        <Form onSubmit={() => policyId !== "" && run(false)} problem={activate.error}>
          <PickField
            label={t.policy}
            name="policy_id"
            value={policyId}
            onChange={setPolicyId}
            options={options}
            placeholder={t.pickPolicy}
          />
          {members.length < 2 ? (
            <p className="problem">{t.tooFew}</p>
          ) : (
            <p>
              {t.willSpread(
                chosen?.name ?? t.thePolicy,
                format.list(
                  members.map(({ id, tunnel_id }) =>
                    t.withShare(tunnels.get(tunnel_id) ?? t.unknownTunnel, format.percent(shares.get(id)!)),
                  ),
                ),
              )}
            </p>
          )}
          {chosen && chosen.hops.length > 0 && (
            <p className="quiet">
              {t.replaces(format.list(chosen.hops.map(({ target }) => tunnels.get(target) ?? target)))}
            </p>
          )}
          <p className="quiet fine">{t.applyText}</p>
        </Form>
      )}
    </Dialog>
  );
}
