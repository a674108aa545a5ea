import type { Snapshot } from "@portcullis/contract/subsystems/history";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Dialog } from "../../ui/floating.tsx";
import { Loaded } from "../../ui/page.tsx";
import { PickField } from "../../ui/pick.tsx";
import { apiQuery } from "../../api/queries.ts";
import { Differences } from "../../components/differences.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { causeText } from "./history-text.ts";

/** `?compare=12` compares with the current configuration, `?compare=12-15` compares two snapshots. */
export function CompareDialog({ snapshots }: { readonly snapshots: readonly Snapshot[] }) {
  const t = useTranslation().changes;
  const format = useFormat();
  const [compare, setCompare] = useSearchParam("compare");
  const [from = "", to = ""] = compare.split("-");
  const options = useMemo(
    () =>
      snapshots.map(({ id, cause, created_at }) => ({
        value: id,
        label: `${t.number(id)} · ${causeText(cause, t.cause)} · ${format.exact(new Date(created_at))}`,
      })),
    [snapshots, t, format],
  );
  const isOpen = /^\d+$/.test(from);
  return (
    <Dialog wide open={isOpen} onClose={() => setCompare("")} title={t.compareTitle}>
      <div className="changes-two">
        <PickField
          label={t.from}
          value={from}
          options={options}
          onChange={(next) => setCompare(to === "" ? next : `${next}-${to}`)}
        />
        <PickField
          label={t.to}
          value={to}
          options={[{ value: "", label: t.current }, ...options]}
          onChange={(next) => setCompare(next === "" ? from : `${from}-${next}`)}
        />
      </div>
      {isOpen && <Compared from={from} to={to} />}
    </Dialog>
  );
}

function Compared({ from, to }: { readonly from: string; readonly to: string }) {
  const differences = useQuery({
    ...apiQuery("snapshots", "differences", { params: { id: from }, query: to === "" ? {} : { to } }),
    retry: false,
  });
  return <Loaded query={differences}>{(all) => <Differences all={all} />}</Loaded>;
}
