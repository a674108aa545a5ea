import type { AlertDelivery } from "@portcullis/contract/subsystems/alert-channels";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";

const maxShown = 50;

/** Messages that did not arrive; nothing while there are none. */
export function DeliveriesCard() {
  const t = useTranslation().alerts.deliveries;
  const listed = (state: "waiting" | "given_up") => ({
    ...apiQuery("alertDeliveries", "list", { query: { state, limit: maxShown } }),
    refetchInterval: 10_000,
  });
  const waiting = useQuery(listed("waiting")).data?.items ?? [];
  const givenUp = useQuery(listed("given_up")).data?.items ?? [];
  const rows = [...waiting, ...givenUp];
  if (rows.length === 0) return null;
  return (
    <Card title={t.title}>
      <ul className="alerts-list">
        {rows.map((it) => (
          <Entry key={it.id} delivery={it} />
        ))}
      </ul>
    </Card>
  );
}

function Entry({ delivery }: { readonly delivery: AlertDelivery }) {
  const { alerts, ui } = useTranslation();
  const t = alerts.deliveries;
  const [why, toast] = [useReason(), useToast()];
  const onError = (problem: Error) => toast.failed(problem);
  const retry = useAction("alertDeliveries", "retry", { invalidates: ["alertChannels", "status"] });
  const remove = useAction("alertDeliveries", "remove", { invalidates: ["alertChannels", "status"] });
  const { id, channel_name, rule, event, state, severity, resource_name, attempts, created_at } = delivery;
  const params = { id };
  return (
    <li>
      <div className="grow">
        <p className="wrap">
          <span className={`alerts-severity ${severity}`}>{alerts.severities[severity]}</span> {t.events[event]}:{" "}
          {alerts.rules[rule]}
          {resource_name !== "" && ` (${resource_name})`} → {channel_name}
        </p>
        <p className="quiet fine wrap">
          {t.states[state]} · <Ago at={created_at} /> · {t.attempts(attempts)} {why.sentence(delivery)}
        </p>
      </div>
      <div className="row">
        <Button
          needs={["alertDeliveries", "retry"]}
          busy={retry.isPending}
          onPress={() => retry.mutate({ params }, { onError })}
        >
          {t.retry}
        </Button>
        <Button
          needs={["alertDeliveries", "remove"]}
          busy={remove.isPending}
          onPress={() => remove.mutate({ params }, { onError })}
        >
          {ui.remove}
        </Button>
      </div>
    </li>
  );
}
