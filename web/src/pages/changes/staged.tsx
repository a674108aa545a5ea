import type { Changes } from "@portcullis/contract/subsystems/history";
import type { UseQueryResult } from "@tanstack/react-query";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button, LinkButton } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { SelectField } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { allRows, apiQuery, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useApply, defaultTrialSec } from "../../components/applying.ts";
import { Differences } from "../../components/differences.tsx";
import { readable, useNames } from "../../components/names.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { isStagedKind } from "./discard.ts";
import { useDiscarding } from "./discarding.ts";

/** Changes that are staged and not in force. */
export function Staged({ query }: { readonly query: UseQueryResult<Changes> }) {
  const t = useTranslation().changes;
  const discard = useDiscarding(query.data);
  const may = useMay();
  const mayDiscard = may(["routing", "update"]) && !query.data?.pending;
  return (
    <LoadedCard
      title={t.staged}
      query={query}
      actions={query.data && query.data.staged.length > 0 && !query.data.pending && <DiscardAll changes={query.data} />}
    >
      {({ staged, pending }) =>
        staged.length === 0 ? (
          <Empty text={t.nothingStaged}>
            <LinkButton to="/routing">{t.toRouting}</LinkButton>
          </Empty>
        ) : (
          <>
            <Stops />
            <Differences
              all={staged}
              actions={(difference) =>
                mayDiscard &&
                isStagedKind(difference.kind) && (
                  <Button kind="quiet" label={t.discardOne(difference.name)} onPress={() => discard(difference)}>
                    {t.discard}
                  </Button>
                )
              }
            />
            {pending ? <p className="quiet">{t.waitForTrial}</p> : <Applying />}
          </>
        )
      }
    </LoadedCard>
  );
}

/** More findings would hide the staged changes. */
const maxStops = 8;

/** Contradictions: the gateway refuses to apply them. */
function Stops() {
  const t = useTranslation().changes;
  const findings = useQuery({
    ...apiQuery("policyViews", "conflicts"),
    queryKey: ["routing", "conflicts"] as never,
  }).data;
  const policies = useQuery(allRows("routing", "list")).data;
  const otherwise = useNames();
  const stopping = (findings ?? []).filter(({ kind }) => kind === "contradiction");
  if (stopping.length === 0) return null;
  const names = new Map(policies?.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? otherwise(id);
  return (
    <div className="problem stack tight" role="status">
      <p className="strong">
        <Icon name="warn" /> {t.stopsApply}
      </p>
      <ul className="stack tight">
        {stopping.slice(0, maxStops).map(({ policy_id, other_id, message }) => (
          <li key={`${policy_id} ${other_id} ${message}`} className="wrap">
            {t.stop(
              [policy_id, other_id].flatMap((id) => (id === null ? [] : nameOf(id))),
              readable(message, nameOf),
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

type Window = keyof ReturnType<typeof useTranslation>["changes"]["windows"];
const windows: readonly Window[] = ["30", "120", "600", "3600"];

/** A trial is the default; a permanent apply is the second button. */
function Applying() {
  const t = useTranslation().changes;
  const may = useMay();
  const apply = useApply();
  const [window, setWindow] = useState<Window>(String(defaultTrialSec) as Window);
  if (!may(["routing", "apply"])) return null;
  return (
    <div className="stack tight changes-apply">
      <p className="quiet fine">{t.applyHint}</p>
      <div className="changes-buttons">
        <SelectField
          label={t.window}
          value={window}
          options={windows.map((value) => ({ value, label: t.windows[value] }))}
          onChange={setWindow}
        />
        <div className="row">
          <Button busy={apply.busy} onPress={() => apply.run()}>
            {t.apply}
          </Button>
          <Button kind="main" busy={apply.busy} onPress={() => apply.run(Number(window))}>
            {t.tryFor(t.windows[window])}
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Restoring the current snapshot publishes nothing; it only discards what is staged. */
function DiscardAll({ changes: { staged, applied } }: { readonly changes: Changes }) {
  const t = useTranslation().changes;
  const [open, setOpen] = useState(false);
  const back = useAction("snapshots", "rollback", { invalidates: ["routing", "profiles", "chains", "policyViews"] });
  return (
    <>
      <Button kind="quiet" needs={["snapshots", "rollback"]} onPress={() => setOpen(true)}>
        {t.discardAll}
      </Button>
      <StopDialog
        open={open}
        onClose={() => setOpen(false)}
        title={t.discardAllTitle}
        text={t.discardAllText(staged.length)}
        action={t.discardAllAction(staged.length)}
        act={() => back.mutateAsync({ body: { snapshot: applied.id } })}
        doneText={t.discardedAll}
      />
    </>
  );
}
