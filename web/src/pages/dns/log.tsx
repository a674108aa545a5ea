import type { DnsLogEntry } from "@portcullis/contract/subsystems/dns-log";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { Card, Empty, Loaded } from "../../ui/page.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { gateway } from "../../api/gateway.ts";
import { useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { type LogFilters, useFollowing } from "./following.ts";
import { LogDetails } from "./log-details.tsx";
import { LogFilterFields, useLogFilters } from "./log-filters.tsx";
import { LogTable } from "./log-table.tsx";
import { type Hold, useHold } from "../../ui/hold.ts";

export function LogTab() {
  const t = useTranslation().dns.log;
  const filters = useLogFilters();
  const [live, setLive] = useSearchParam("live", "on");
  const [times, setTimes] = useState(0);
  return (
    <Card
      title={t.title}
      actions={
        <>
          <Button onPress={() => setLive(live === "on" ? "off" : "on")}>{live === "on" ? t.toOlder : t.toLive}</Button>
          <ClearLog filters={filters} onCleared={() => setTimes(times + 1)} />
        </>
      }
    >
      <LogFilterFields />
      {live === "on" ? <LiveLog key={times} filters={filters} /> : <OlderLog filters={filters} />}
      <LogDetails />
    </Card>
  );
}

function LiveLog({ filters }: { readonly filters: LogFilters }) {
  const { dns, ui } = useTranslation();
  const hold = useHold();
  const { buffer, problem } = useFollowing(filters, hold.reason === undefined);
  const [paused, setPaused] = [hold.reason === "button", hold.press];
  return (
    <>
      <div className="row">
        <Button icon={paused ? "play" : "pause"} onPress={() => setPaused(!paused)}>
          {paused ? dns.log.resume : dns.log.pause}
        </Button>
        <LiveSentence hold={hold} skipped={buffer?.skipped ?? 0} isFiltered={Object.keys(filters).length > 0} />
      </div>
      {problem && <ProblemText problem={problem} />}
      {buffer ? (
        <Rows rows={buffer.rows} filters={filters} hold={hold} />
      ) : (
        !problem && <div className="skeleton" role="status" aria-label={ui.loading} />
      )}
    </>
  );
}

interface SentenceProps {
  readonly hold: Hold;
  readonly skipped: number;
  readonly isFiltered: boolean;
}

function LiveSentence({ hold, skipped, isFiltered }: SentenceProps) {
  const t = useTranslation().dns.log;
  const format = useFormat();
  return (
    <p className="quiet grow">
      <span role="status">{hold.reason ? t.held[hold.reason] : t.asItHappens}</span>{" "}
      {skipped > 0 && <span>{t.skipped(format.number(skipped), isFiltered)}</span>}
    </p>
  );
}

interface RowsProps {
  readonly rows: readonly DnsLogEntry[];
  readonly filters: LogFilters;
  readonly hold?: Hold;
}

function Rows({ rows, filters, hold }: RowsProps): ReactNode {
  const t = useTranslation().dns.log;
  if (rows.length === 0) return <Empty text={Object.keys(filters).length > 0 ? t.noMatch : t.empty} />;
  return (
    // The listeners only detect hover and focus: every control inside has its own.
    <div {...hold?.listeners}>
      <LogTable rows={rows} />
    </div>
  );
}

function OlderLog({ filters }: { readonly filters: LogFilters }) {
  const t = useTranslation().dns.log;
  const pages = useInfiniteQuery({
    queryKey: ["dnsLog", "list", "back", filters],
    queryFn: ({ pageParam }) =>
      gateway.dnsLog.list({ query: { ...filters, limit: 500, ...(pageParam && { cursor: pageParam }) } }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    // Each page begins where the previous one ended: a refetch would read all of them again.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const rows = useMemo(() => pages.data?.pages.flatMap(({ items }) => items) ?? [], [pages.data]);
  return (
    <>
      <Loaded query={pages}>{() => <Rows rows={rows} filters={filters} />}</Loaded>
      <div className="row">
        {pages.hasNextPage && (
          <Button busy={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
            {t.older}
          </Button>
        )}
        <Button kind="quiet" busy={pages.isRefetching} onPress={() => void pages.refetch()}>
          {t.again}
        </Button>
      </div>
    </>
  );
}

function ClearLog({ filters, onCleared }: { readonly filters: LogFilters; readonly onCleared: () => void }) {
  const t = useTranslation().dns.log;
  const [confirming, setConfirming] = useState(false);
  const [toast, queries] = [useToast(), useQueryClient()];
  const clear = useAction("dnsLog", "clear", { invalidates: ["dns"] });
  const run = async () => {
    await clear.mutateAsync({ query: filters.client ? { client: filters.client } : {} });
    queries.removeQueries({ queryKey: ["dnsLog", "list"] });
    onCleared();
    toast.done(t.cleared);
  };
  return (
    <>
      <Button kind="quiet" needs={["dnsLog", "clear"]} onPress={() => setConfirming(true)}>
        {t.clear}
      </Button>
      <StopDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        title={t.clear}
        text={filters.client ? t.clearsOne : t.clearsAll}
        action={t.clearAction}
        act={run}
      />
    </>
  );
}
