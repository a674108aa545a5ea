import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Card, Empty, Loaded, Page } from "../../ui/page.tsx";
import { gateway } from "../../api/gateway.ts";
import { useEvents } from "../../api/live.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { byDay } from "./parsed-entry.ts";
import { Entry } from "./entry.tsx";
import type { Filter } from "./filter.ts";
import { Filters, useFilter } from "./filters.tsx";
import "./audit.css";

/** The log, newest first, page by page. The position is kept: newer entries are loaded on demand. */
export function AuditPage() {
  const { shell, audit: t } = useTranslation();
  const filter = useFilter();
  return (
    <Page title={shell.titles.audit} subtitle={t.subtitle}>
      <Filters />
      <Log key={JSON.stringify(filter)} filter={filter} />
    </Page>
  );
}

const pageRows = 100;

function Log({ filter }: { readonly filter: Filter }) {
  const { audit: t } = useTranslation();
  const format = useFormat();
  // Not under "audit": every audited action would refetch every page.
  const queryKey = ["audit log", filter];
  const queries = useQueryClient();
  const [newer, setNewer] = useState(0);
  useEvents(({ event, data }) => {
    if (event !== "audit.recorded") return;
    if (filter.action !== undefined && filter.action !== data["action"]) return;
    if (filter.resource_type !== undefined && filter.resource_type !== data["resource_type"]) return;
    setNewer((count) => count + 1);
  });
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      gateway.audit.list({ query: { ...filter, limit: pageRows, ...(pageParam && { cursor: pageParam }) } }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  });
  const invalidate = async () => {
    setNewer(0);
    await queries.resetQueries({ queryKey });
  };
  return (
    <>
      <div role="status" className="audit-news">
        {newer > 0 && (
          <div className="problem row">
            <span>{t.newer(newer)}</span>
            <Button kind="quiet" onPress={() => void invalidate()}>
              {t.showNewer}
            </Button>
          </div>
        )}
      </div>
      <Loaded query={query} lines={8}>
        {({ pages }) => {
          const entries = pages.flatMap(({ items }) => items);
          if (entries.length === 0) return <Empty text={Object.keys(filter).length > 0 ? t.noMatch : t.nothing} />;
          const total = pages.at(-1)?.total;
          return (
            <>
              {byDay(entries).map(([day, ofDay]) => (
                <Card key={day.toDateString()} title={format.day(day)}>
                  <ol className="audit-log">
                    {ofDay.map((entry) => (
                      <li key={entry.id}>
                        <Entry entry={entry} />
                      </li>
                    ))}
                  </ol>
                </Card>
              ))}
              <div className="row">
                {query.hasNextPage && (
                  <Button busy={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
                    {t.older}
                  </Button>
                )}
                {total !== undefined && (
                  <span className="quiet fine">{t.total(format.number(entries.length), format.number(total))}</span>
                )}
              </div>
            </>
          );
        }}
      </Loaded>
    </>
  );
}
