import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form.tsx";
import { Card, Empty, Loaded } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useEgressNames } from "../../components/egress-names.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useDebounced } from "../../ui/debounced.ts";

const maxShown = 10_000;

/** Entries of the DNS cache. A flush only costs another query. */
export function CacheTab() {
  const { dns, ui } = useTranslation();
  const t = dns.cache;
  const format = useFormat();
  const egressNames = useEgressNames();
  const toast = useToast();
  const [typed, setTyped] = useSearchParam("pattern");
  const pattern = useDebounced(typed.trim());
  const entries = useQuery({
    ...apiQuery("dns", "cache", { query: { limit: maxShown, ...(pattern && { pattern }) } }),
    placeholderData: keepPreviousData,
  });
  const flush = useAction("dns", "flush", { onDone: ({ flushed }) => toast.done(t.flushed(flushed)) });
  const forget = () => flush.mutate({ body: pattern ? { pattern } : {} }, { onError: toast.failed });
  return (
    <Card
      title={t.title}
      actions={
        <>
          <Button icon="refresh" kind="quiet" busy={entries.isRefetching} onPress={() => void entries.refetch()}>
            {t.again}
          </Button>
          <Button needs={["dns", "flush"]} busy={flush.isPending} onPress={forget}>
            {pattern ? t.flushMatching(pattern) : t.flushAll}
          </Button>
        </>
      }
    >
      <div className="dns-search">
        <TextField
          label={t.pattern}
          hint={t.patternHint}
          type="search"
          placeholder="*.example.org"
          value={typed}
          onChange={setTyped}
        />
      </div>
      <Loaded query={entries}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty text={pattern ? ui.nothingFound : t.empty} />
          ) : (
            <>
              <p className="quiet fine">
                {rows.length < maxShown ? t.count(format.number(rows.length)) : t.firstOf(format.number(maxShown))}
              </p>
              <Table
                label={t.title}
                rows={rows}
                rowKey={({ egress, name, type }) => `${egress} ${name} ${type}`}
                columns={[
                  { key: "name", title: t.name, width: "2.5fr", cell: ({ name }) => name },
                  { key: "type", title: t.type, width: "5rem", cell: ({ type }) => type },
                  { key: "egress", title: t.egress, cell: ({ egress }) => egressNames(egress) },
                  { key: "rcode", title: t.rcode, width: "7rem", cell: ({ rcode }) => rcode },
                  {
                    key: "ttl",
                    title: t.left,
                    width: "7rem",
                    right: true,
                    cell: ({ ttl_sec }) => format.duration(ttl_sec),
                  },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
