import type { Mqtt } from "@portcullis/contract/subsystems/mqtt";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { State, type StateName } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { rulesOf } from "../../api/rules.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";

/** The connection to the broker of Home Assistant. */
export function MqttCard() {
  const { mqtt: t } = useTranslation();
  const [doing, setDoing] = useSearchParam("do");
  const query = useQuery(apiQuery("mqtt", "get"));
  return (
    <LoadedCard
      title={t.title}
      query={query}
      actions={
        <Button icon="edit" needs={["mqtt", "put"]} onPress={() => setDoing("mqtt")}>
          {t.settings}
        </Button>
      }
    >
      {(data) => (
        <>
          <p className="quiet">{t.intro}</p>
          <Connection mqtt={data} />
          {doing === "mqtt" && <SettingsDialog mqtt={data} onClose={() => setDoing("")} />}
        </>
      )}
    </LoadedCard>
  );
}

const shownAs: Readonly<Record<Mqtt["state"], StateName>> = {
  off: "unknown",
  connecting: "unknown",
  connected: "protected",
  failed: "blocked",
};

function Connection({ mqtt }: { readonly mqtt: Mqtt }) {
  const { mqtt: t } = useTranslation();
  const [why, toast] = [useReason(), useToast()];
  const [result, setResult] = useState("");
  const test = useAction("mqtt", "test", {});
  const { state, host, connected_since, entities, unavailable } = mqtt;
  const onPress = () => {
    setResult(t.testing);
    test.mutate(undefined, {
      onSuccess: (answer) => setResult(why.sentence(answer)),
      onError: (problem) => {
        setResult("");
        toast.failed(problem);
      },
    });
  };
  return (
    <>
      <p className="row wrap">
        <State state={shownAs[state]} text={t.states[state]} />
        <span className="quiet">
          {connected_since !== null && (
            <>
              {t.since} <Ago at={connected_since} /> · {t.entities(entities, unavailable)}
            </>
          )}
          {state === "failed" && why.line(mqtt)}
        </span>
      </p>
      {host !== null && (
        <div className="row">
          <Button needs={["mqtt", "test"]} busy={test.isPending} onPress={onPress}>
            {t.test}
          </Button>
        </div>
      )}
      {result !== "" && (
        <p className="wrap" role="status">
          {result}
        </p>
      )}
    </>
  );
}

function SettingsDialog({ mqtt, onClose }: { readonly mqtt: Mqtt; readonly onClose: () => void }) {
  const { mqtt: t, ui } = useTranslation();
  const toast = useToast();
  const form = useBody(rulesOf("mqtt", "put"), { stored: mqtt });
  const onDone = () => {
    toast.done(t.saved);
    onClose();
  };
  const put = useAction("mqtt", "put", { invalidates: ["status", "secrets"], onDone });
  return (
    <BodyDialog
      form={form}
      title={t.title}
      needs={["mqtt", "put"]}
      onClose={onClose}
      // There is no password without a user.
      onSave={(body) =>
        put.mutate({ body: { ...body, ...(mqtt.has_password && body.username === null && { password: null }) } })
      }
      busy={put.isPending}
      problem={put.error}
      fields={[
        ["host", "port"],
        "security",
        "ca",
        ["username", "password"],
        ["discovery_prefix", "base_topic"],
        "configuration_url",
        "pause_switch_min",
        "enabled",
      ]}
      areas={["ca"]}
      texts={{ ...t.fields, password: { label: t.fields.password, ...(mqtt.has_password && { hint: ui.secretKept }) } }}
      examples={{ host: "broker.example", configuration_url: "https://192.168.1.1:8080" }}
    />
  );
}
