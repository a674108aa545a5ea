import type { AlertRule } from "@portcullis/contract/subsystems/alerts";
import { useQuery } from "@tanstack/react-query";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { rulesOf } from "../../api/rules.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** The rules. A muted one is shown as such, so that silence is no surprise. */
export function RulesCard() {
  const { alerts: t, ui } = useTranslation();
  const query = useQuery(apiQuery("alerts", "rules"));
  const [action, setAction] = useSearchParam("do");
  const edited = query.data?.find(({ id }) => action === `rule:${id}`);
  return (
    <LoadedCard title={t.rulesTitle} query={query}>
      {(rules) => (
        <>
          <ul className="alerts-list">
            {rules.map((rule) => (
              <li key={rule.id}>
                <div className="grow">
                  <p className="wrap">
                    <span className={`alerts-severity ${rule.severity}`}>{t.severities[rule.severity]}</span>{" "}
                    {t.rules[rule.id]}
                  </p>
                  {!rule.enabled && <p className="quiet fine">{t.disabled}</p>}
                  {isMuted(rule) && <p className="quiet fine">{t.muted}</p>}
                </div>
                <Button
                  icon="edit"
                  label={t.edit(t.rules[rule.id])}
                  needs={["alerts", "updateRule"]}
                  onPress={() => setAction(`rule:${rule.id}`)}
                >
                  {ui.edit}
                </Button>
              </li>
            ))}
          </ul>
          {edited && <RuleDialog rule={edited} onClose={() => setAction("")} />}
        </>
      )}
    </LoadedCard>
  );
}

const isMuted = ({ muted_until, muted_resources }: AlertRule): boolean =>
  muted_until === null ? muted_resources.length > 0 : Date.parse(muted_until) > Date.now();

function RuleDialog({ rule, onClose }: { readonly rule: AlertRule; readonly onClose: () => void }) {
  const { alerts: t } = useTranslation();
  const toast = useToast();
  const form = useBody(rulesOf("alerts", "updateRule"), {
    stored: rule,
    units: { window_sec: "min", cooldown_sec: "min" },
  });
  const update = useAction("alerts", "updateRule", {
    onDone: () => {
      toast.done(t.saved);
      onClose();
    },
  });
  return (
    <BodyDialog
      form={form}
      title={t.rules[rule.id]}
      needs={["alerts", "updateRule"]}
      onClose={onClose}
      onSave={(body) => update.mutate({ params: { id: rule.id }, body })}
      busy={update.isPending}
      problem={update.error}
      fields={["enabled", "severity", ["threshold", "window_sec", "cooldown_sec"], "muted_until", "muted_resources"]}
      texts={t.fields}
    />
  );
}
