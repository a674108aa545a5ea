import type { Policy } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form.tsx";
import { Empty, Loaded } from "../../ui/page.tsx";
import { ReorderList } from "../../ui/reorder.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useNames } from "../../components/names.ts";
import { usePolicySentence } from "../../components/paths.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { useMoving } from "./moving.ts";
import { PolicyLine } from "./policy-line.tsx";
import { usePolicies, useRows } from "./policy-queries.ts";
import { RemoveDialog } from "./remove-dialog.tsx";
import type { PolicyRow } from "./rows.ts";

/** Shorter lists have no search field. */
const searchedFrom = 8;

/** Policies in order of evaluation. */
export function Policies() {
  const policies = usePolicies();
  const [, setDoing] = useSearchParam("do");
  return (
    <Loaded query={policies} lines={6}>
      {(all) => (all.length === 0 ? <NoPolicy onAdd={() => setDoing("add")} /> : <Order read={all} />)}
    </Loaded>
  );
}

/** A locally administered address: its outcome is that of every device without a policy. */
const unknownMac = "02:00:5e:10:00:00";

/** Without a policy, `network.default_egress` of the bootstrap file decides. */
function NoPolicy({ onAdd }: { readonly onAdd: () => void }) {
  const t = useTranslation().routing;
  const may = useMay();
  const outcome = useQuery({
    ...apiQuery("policyViews", "evaluate", { body: { mac: unknownMac, staged: true } }),
    enabled: may(["policyViews", "evaluate"]),
  }).data?.outcome;
  return (
    <Empty text={t.none[outcome === "direct" || outcome === "block" ? outcome : "unknown"]}>
      <Button kind="main" icon="add" needs={["routing", "create"]} onPress={onAdd}>
        {t.add}
      </Button>
    </Empty>
  );
}

function Order({ read }: { readonly read: readonly Policy[] }) {
  const t = useTranslation().routing;
  const may = useMay();
  const { policies, move } = useMoving(read);
  const rows = useRows(policies);
  const [open, setOpen] = useSearchParam("open");
  const [search, setSearch] = useSearchParam("search");
  const [removing, setRemoving] = useState<string>();
  const nameOf = useNames();
  const why = useReason();
  const withSentences = useSentences(rows);
  const wanted = useDeferredValue(search).trim().toLowerCase();
  const shown = useMemo(
    () =>
      wanted === ""
        ? withSentences
        : withSentences.filter((row) =>
            `${row.policy.name} ${row.sentence} ${row.reason ? why.line(row.reason) : ""}`
              .toLowerCase()
              .includes(wanted),
          ),
    [withSentences, wanted, why],
  );
  const mayMove = may(["routing", "update"]);
  const isWhole = shown.length === rows.length;
  const index = useMemo(() => new Map(rows.map(({ policy }, index) => [policy.id, index])), [rows]);
  return (
    <>
      <div className="routing-above">
        <p className="quiet fine">
          {!isWhole ? t.filtered(shown.length, rows.length) : mayMove ? `${t.orderHint} ${t.moveHint}` : t.orderHint}
        </p>
        {(rows.length >= searchedFrom || search !== "") && (
          <TextField type="search" label={t.filter} value={search} onChange={setSearch} />
        )}
      </div>
      {shown.length === 0 ? (
        <Empty text={t.noMatch} />
      ) : (
        <ReorderList
          label={t.policies}
          rows={shown}
          rowKey={({ policy }) => policy.id}
          rowName={({ policy }) => policy.name}
          current={open}
          text={{ handle: t.handle, movedTo: t.movedTo }}
          onMove={isWhole && mayMove ? move : undefined}
          rowClass={({ policy }) => (policy.enabled ? "" : "routing-off")}
          row={(row) => (
            <PolicyLine
              row={row}
              sentence={row.sentence}
              index={index.get(row.policy.id)!}
              count={rows.length}
              nameOf={nameOf}
              onOpen={setOpen}
              onMove={move}
              onRemove={setRemoving}
            />
          )}
        />
      )}
      <RemoveDialog id={removing} onClose={() => setRemoving(undefined)} />
    </>
  );
}

/** Rows with their sentences. Only changed policies get a new sentence. */
function useSentences(rows: readonly PolicyRow[]): readonly (PolicyRow & { readonly sentence: string })[] {
  const sentence = usePolicySentence();
  const sentenceFor = useMemo(() => {
    const known = new WeakMap<PolicyRow["policy"], string>();
    return (policy: PolicyRow["policy"]): string => {
      const withSentences = known.get(policy) ?? sentence(policy);
      known.set(policy, withSentences);
      return withSentences;
    };
  }, [sentence]);
  return useMemo(() => rows.map((row) => ({ ...row, sentence: sentenceFor(row.policy) })), [rows, sentenceFor]);
}
