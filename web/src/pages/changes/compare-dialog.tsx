import type { Snapshot } from "@portcullis/contract/subsystems/history";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAddress } from "../../ui/address.ts";
import { Dialog } from "../../ui/floating.tsx";
import { Loaded } from "../../ui/page.tsx";
import { PickField } from "../../ui/pick.tsx";
import { reading } from "../../api/reading.ts";
import { Differences } from "../../components/differences.tsx";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { causeWords } from "./history-text.ts";

/** `?compare=12` compares with the current configuration, `?compare=12-15` compares two snapshots. */
export function CompareDialog({ snapshots }: { readonly snapshots: readonly Snapshot[] }) {
  const say = useWords().changes;
  const format = useFormat();
  const [compare, setCompare] = useAddress("compare");
  const [from = "", to = ""] = compare.split("-");
  const options = useMemo(
    () =>
      snapshots.map(({ id, cause, created_at }) => ({
        value: id,
        label: `${say.number(id)} · ${causeWords(cause, say.cause)} · ${format.exact(new Date(created_at))}`,
      })),
    [snapshots, say, format],
  );
  const isAsked = /^\d+$/.test(from);
  return (
    <Dialog wide open={isAsked} onClose={() => setCompare("")} title={say.compareTitle}>
      <div className="changes-two">
        <PickField
          label={say.from}
          value={from}
          options={options}
          onChange={(next) => setCompare(to === "" ? next : `${next}-${to}`)}
        />
        <PickField
          label={say.to}
          value={to}
          options={[{ value: "", label: say.current }, ...options]}
          onChange={(next) => setCompare(next === "" ? from : `${from}-${next}`)}
        />
      </div>
      {isAsked && <Compared from={from} to={to} />}
    </Dialog>
  );
}

function Compared({ from, to }: { readonly from: string; readonly to: string }) {
  const differences = useQuery({
    ...reading("snapshots", "differences", { params: { id: from }, query: to === "" ? {} : { to } }),
    retry: false,
  });
  return <Loaded query={differences}>{(all) => <Differences all={all} />}</Loaded>;
}
