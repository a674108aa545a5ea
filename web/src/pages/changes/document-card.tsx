import type { ConfigPlan } from "@portcullis/contract/subsystems/configuration";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { FileButton } from "../../ui/file.tsx";
import { AreaField, SwitchField } from "../../ui/form.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { basePath } from "../../api/contract.ts";
import { useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { defaultTrialSec } from "../../components/applying.ts";
import { Differences } from "../../components/differences.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { documentInput } from "./document-input.ts";
import { differencesOf } from "./plan-differences.ts";

/** The configuration as a document: download, preview of what a document changes, and apply. */
export function DocumentCard({ isPending }: { readonly isPending: boolean }) {
  const t = useTranslation().changes;
  const may = useMay();
  return (
    <Card
      title={t.document}
      actions={
        <a className="button quiet" href={`${basePath}/config/export`} download="portcullis-configuration.json">
          {t.exportDocument}
        </a>
      }
    >
      <p className="quiet fine">{t.documentText}</p>
      {may(["configuration", "apply"]) && <DocumentForm isPending={isPending} />}
    </Card>
  );
}

/** A document is applied as it was previewed: a change of the text removes the preview. */
function DocumentForm({ isPending }: { readonly isPending: boolean }) {
  const t = useTranslation().changes;
  const toast = useToast();
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [prune, setPrune] = useState(false);
  const validate = useAction("configuration", "validate");
  const apply = useAction("configuration", "apply", {
    onDone: () => {
      toast.done(t.documentApplied);
      change(() => setText(""));
      // A document can change everything that is shown.
      void queries.invalidateQueries();
    },
  });
  function change(set: () => void): void {
    set();
    validate.reset();
    apply.reset();
  }
  const input = (confirm_within?: number) => ({
    ...documentInput(text),
    query: { ...(prune && { prune }), ...(confirm_within !== undefined && { confirm_within }) },
  });
  const problem = apply.error ?? validate.error;
  return (
    <div className="stack">
      <AreaField
        label={t.documentLabel}
        hint={t.documentHint}
        name="document"
        value={text}
        onChange={(next) => change(() => setText(next))}
      />
      <SwitchField label={t.prune} name="prune" value={prune} onChange={(next) => change(() => setPrune(next))} />
      <div className="row">
        <FileButton
          accept=".yaml,.yml,.json"
          onChoose={([file]) => void file?.text().then((read) => change(() => setText(read)))}
        >
          {t.chooseDocument}
        </FileButton>
        <Button busy={validate.isPending} disabled={text.trim() === ""} onPress={() => validate.mutate(input())}>
          {t.preview}
        </Button>
      </div>
      {problem && <ProblemText problem={problem} />}
      {validate.data && <Plan plan={validate.data} />}
      {validate.data?.result === "changes" &&
        (isPending ? (
          <p className="quiet">{t.waitForTrial}</p>
        ) : (
          <div className="row">
            <Button busy={apply.isPending} onPress={() => apply.mutate(input())}>
              {t.apply}
            </Button>
            <Button kind="main" busy={apply.isPending} onPress={() => apply.mutate(input(defaultTrialSec))}>
              {t.tryFor(t.windows[trialWindow])}
            </Button>
          </div>
        ))}
    </div>
  );
}

const trialWindow = String(defaultTrialSec) as keyof ReturnType<typeof useTranslation>["changes"]["windows"];

function Plan({ plan }: { readonly plan: ConfigPlan }) {
  const t = useTranslation().changes;
  const { result, summary, changes, adopted, released, published_along: along } = plan;
  if (result === "unchanged") return <p role="status">{t.planNothing}</p>;
  return (
    <div className="stack tight changes-many" role="status">
      <p className="strong">{t.planCounts(summary)}</p>
      {along.length > 0 && <p>{t.planAlong(along.length)}</p>}
      {adopted + released > 0 && <p className="quiet fine">{t.planOwner(adopted, released)}</p>}
      {changes.length > 0 && <Differences all={differencesOf(changes)} />}
    </div>
  );
}
