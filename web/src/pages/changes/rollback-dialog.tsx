import type { Snapshot } from "@portcullis/contract/subsystems/history";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { StopDialog } from "../../ui/floating.tsx";
import { SelectField } from "../../ui/form.tsx";
import { Loaded } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { reading, useAct } from "../../api/reading.ts";
import { Differences } from "../../components/differences.tsx";
import { useWords } from "../../i18n/i18n.tsx";

const windows = ["120", "30", "600", "3600", "0"] as const;
type Window = (typeof windows)[number];

interface RollbackProps {
  readonly snapshot: Snapshot | undefined;
  readonly onClose: () => void;
}

/** Lists the changes before the rollback; on trial unless the operator chooses otherwise. */
export function RollbackDialog({ snapshot, onClose }: RollbackProps) {
  const say = useWords().changes;
  const toast = useToast();
  const [window, setWindow] = useState<Window>("120");
  const back = useAct("snapshots", "rollback", {
    renews: ["routing", "profiles", "policyViews", "tunnels", "devices", "proxies", "enforcement"],
  });
  const id = snapshot?.id ?? "";
  return (
    <StopDialog
      open={snapshot !== undefined}
      onClose={onClose}
      title={say.rollbackTitle(id)}
      action={window === "0" ? say.rollbackAction : say.rollbackTry(say.windows[window])}
      act={async () => {
        const query = window === "0" ? {} : { confirm_within: Number(window) };
        const { excluded } = await back.mutateAsync({ query, body: { snapshot: id } });
        const kept = excluded.reduce((sum, { count }) => sum + count, 0);
        toast.done(kept === 0 ? say.rolledBack(id) : say.rolledBackExcept(id, kept));
      }}
      says={
        snapshot && (
          <div className="stack">
            <WhatChanges to={id} />
            <SelectField
              label={say.window}
              value={window}
              options={windows.map((value) => ({ value, label: value === "0" ? say.forGood : say.windows[value] }))}
              onChange={setWindow}
            />
          </div>
        )
      }
    />
  );
}

function WhatChanges({ to }: { readonly to: string }) {
  const say = useWords().changes;
  const shown = useQuery(reading("changes", "show")).data;
  const from = shown?.applied.id;
  const differences = useQuery({
    ...reading("snapshots", "differences", { params: { id: from ?? "0" }, query: { to } }),
    enabled: from !== undefined,
  });
  return (
    <>
      {shown?.pending && <p className="strong">{say.waitForTrial}</p>}
      <Loaded query={differences}>
        {(all) => (
          <div className="stack tight">
            <p>{say.rollbackSays(all.length)}</p>
            {all.length > 0 && (
              <div className="changes-many">
                <Differences all={all} />
              </div>
            )}
          </div>
        )}
      </Loaded>
      {shown !== undefined && shown.staged.length > 0 && <p>{say.rollbackStaged(shown.staged.length)}</p>}
    </>
  );
}
