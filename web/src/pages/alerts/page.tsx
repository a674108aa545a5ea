import type { Alert } from "@portcullis/contract/subsystems/alerts";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { Card, Empty, LoadedCard, Page } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { ChannelsCard } from "./channels-card.tsx";
import { DeliveriesCard } from "./deliveries-card.tsx";
import { RulesCard } from "./rules-card.tsx";
import "./alerts.css";

const maxResolved = 50;

/** What needs attention now, what did, and the rules. */
export function AlertsPage() {
  const { shell, alerts: t } = useTranslation();
  const may = useMay();
  const active = useQuery(apiQuery("alerts", "active"));
  const resolved =
    useQuery(apiQuery("alerts", "list", { query: { state: "resolved", limit: maxResolved } })).data?.items ?? [];
  return (
    <Page title={shell.titles.alerts} subtitle={t.subtitle}>
      <LoadedCard title={t.activeTitle} query={active}>
        {(alerts) =>
          alerts.length === 0 ? (
            <Empty text={t.none} />
          ) : (
            <ul className="alerts-list">
              {alerts.map((alert) => (
                <Entry key={alert.id} alert={alert} />
              ))}
            </ul>
          )
        }
      </LoadedCard>
      {resolved.length > 0 && (
        <Card title={t.resolvedTitle}>
          <ul className="alerts-list">
            {resolved.map((alert) => (
              <Entry key={alert.id} alert={alert} />
            ))}
          </ul>
        </Card>
      )}
      {may(["alertDeliveries", "list"]) && <DeliveriesCard />}
      {may(["alertChannels", "list"]) && <ChannelsCard />}
      <RulesCard />
    </Page>
  );
}

function Entry({ alert }: { readonly alert: Alert }) {
  const { alerts: t } = useTranslation();
  const [why, toast] = [useReason(), useToast()];
  const onError = (problem: Error) => toast.failed(problem);
  const acknowledge = useAction("alerts", "acknowledge");
  const resolve = useAction("alerts", "resolve");
  const { id, severity, state, count, raised_at, last_at, acknowledged_by, resolved_at, resolved_by } = alert;
  const params = { id };
  return (
    <li>
      <div className="grow">
        <p className="wrap">
          <span className={`alerts-severity ${severity}`}>{t.severities[severity]}</span> {why.sentence(alert)}
        </p>
        <p className="quiet fine wrap">
          {t.raised} <Ago at={raised_at} />
          {count > 1 && (
            <>
              {" · "}
              {t.times(count)} <Ago at={last_at} />
            </>
          )}
          {acknowledged_by !== null && ` · ${t.acknowledgedBy(acknowledged_by)}`}
          {resolved_at !== null && (
            <>
              {" · "}
              {t.resolvedBy(resolved_by ?? "")} <Ago at={resolved_at} />
            </>
          )}
        </p>
      </div>
      {state !== "resolved" && (
        <div className="row">
          {state === "active" && (
            <Button
              needs={["alerts", "acknowledge"]}
              busy={acknowledge.isPending}
              onPress={() => acknowledge.mutate({ params }, { onError })}
            >
              {t.acknowledge}
            </Button>
          )}
          <Button
            needs={["alerts", "resolve"]}
            busy={resolve.isPending}
            onPress={() => resolve.mutate({ params }, { onError })}
          >
            {t.resolve}
          </Button>
        </div>
      )}
    </li>
  );
}
