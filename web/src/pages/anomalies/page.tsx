import type { AnomalySettings } from "@portcullis/contract/subsystems/anomalies";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { Page } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { rulesOf } from "../../api/rules.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { AnomaliesCard } from "./anomalies-card.tsx";
import { BaselinesCard } from "./baselines-card.tsx";
import "./anomalies.css";

/** Deviations of devices from their baselines, and how complete the baselines are. */
export function AnomaliesPage() {
  const { shell, anomalies: t } = useTranslation();
  const [action, setAction] = useSearchParam("do");
  const settings = useQuery(apiQuery("anomalies", "settings")).data;
  return (
    <Page
      title={shell.titles.anomalies}
      subtitle={t.subtitle}
      actions={
        <Button icon="settings" needs={["anomalies", "updateSettings"]} onPress={() => setAction("settings")}>
          {t.settings}
        </Button>
      }
    >
      <AnomaliesCard />
      <BaselinesCard />
      {action === "settings" && settings && <SettingsDialog settings={settings} onClose={() => setAction("")} />}
    </Page>
  );
}

function SettingsDialog({ settings, onClose }: { readonly settings: AnomalySettings; readonly onClose: () => void }) {
  const { anomalies: t } = useTranslation();
  const toast = useToast();
  const form = useBody(rulesOf("anomalies", "updateSettings"), { stored: settings });
  const update = useAction("anomalies", "updateSettings", {
    onDone: () => {
      toast.done(t.saved);
      onClose();
    },
  });
  return (
    <BodyDialog
      form={form}
      title={t.settings}
      needs={["anomalies", "updateSettings"]}
      onClose={onClose}
      onSave={(body) => update.mutate({ body })}
      busy={update.isPending}
      problem={update.error}
      fields={["enabled", "sensitivity", "learning_days"]}
      texts={t.fields}
    />
  );
}
