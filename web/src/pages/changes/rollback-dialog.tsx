import type { Snapshot } from "@portcullis/contract/subsystems/history";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { StopDialog } from "../../ui/floating.tsx";
import { SelectField } from "../../ui/form.tsx";
import { Loaded } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { Differences } from "../../components/differences.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

const windows = ["120", "30", "600", "3600", "0"] as const;
type Window = (typeof windows)[number];

interface RollbackProps {
  readonly snapshot: Snapshot | undefined;
  readonly onClose: () => void;
}

/** Lists the changes before the rollback; on trial unless the operator chooses otherwise. */
export function RollbackDialog({ snapshot, onClose }: RollbackProps) {
  const t = useTranslation().changes;
  const toast = useToast();
  const [window, setWindow] = useState<Window>("120");
  const back = useAction("snapshots", "rollback", {
    invalidates: ["routing", "profiles", "policyViews", "tunnels", "devices", "proxies", "enforcement"],
  });
  const id = snapshot?.id ?? "";
  return (
    <StopDialog
      open={snapshot !== undefined}
      onClose={onClose}
      title={t.rollbackTitle(id)}
      action={window === "0" ? t.rollbackAction : t.rollbackTry(t.windows[window])}
      act={async () => {
        const query = window === "0" ? {} : { confirm_within: Number(window) };
        const { excluded } = await back.mutateAsync({ query, body: { snapshot: id } });
        const kept = excluded.reduce((sum, { count }) => sum + count, 0);
        toast.done(kept === 0 ? t.rolledBack(id) : t.rolledBackExcept(id, kept));
      }}
      text={
        snapshot && (
          <div className="stack">
            <WhatChanges to={id} />
            <SelectField
              label={t.window}
              value={window}
              options={windows.map((value) => ({ value, label: value === "0" ? t.forGood : t.windows[value] }))}
              onChange={setWindow}
            />
          </div>
        )
      }
    />
  );
}

function WhatChanges({ to }: { readonly to: string }) {
  const t = useTranslation().changes;
  const shown = useQuery(apiQuery("changes", "show")).data;
  const from = shown?.applied.id;
  const differences = useQuery({
    ...apiQuery("snapshots", "differences", { params: { id: from ?? "0" }, query: { to } }),
    enabled: from !== undefined,
  });
  return (
    <>
      {shown?.pending && <p className="strong">{t.waitForTrial}</p>}
      <Loaded query={differences}>
        {(all) => (
          <div className="stack tight">
            <p>{t.rollbackText(all.length)}</p>
            {all.length > 0 && (
              <div className="changes-many">
                <Differences all={all} />
              </div>
            )}
          </div>
        )}
      </Loaded>
      {shown !== undefined && shown.staged.length > 0 && <p>{t.rollbackStaged(shown.staged.length)}</p>}
    </>
  );
}
