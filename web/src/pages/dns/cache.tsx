import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form.tsx";
import { Card, Empty, Loaded } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { reading, useAct } from "../../api/reading.ts";
import { useWayNames } from "../../components/egress-names.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { useSettled } from "./settled.ts";

const shownMost = 10_000;

/** Entries of the DNS cache. A flush only costs another query. */
export function CacheTab() {
  const { dns, kit } = useWords();
  const say = dns.cache;
  const format = useFormat();
  const wayNames = useWayNames();
  const toast = useToast();
  const [typed, setTyped] = useAddress("pattern");
  const pattern = useSettled(typed.trim());
  const entries = useQuery({
    ...reading("dns", "cache", { query: { limit: shownMost, ...(pattern && { pattern }) } }),
    placeholderData: keepPreviousData,
  });
  const flush = useAct("dns", "flush", { onDone: ({ flushed }) => toast.done(say.flushed(flushed)) });
  const forget = () => flush.mutate({ body: pattern ? { pattern } : {} }, { onError: toast.failed });
  return (
    <Card
      title={say.title}
      actions={
        <>
          <Button icon="refresh" kind="quiet" busy={entries.isRefetching} onPress={() => void entries.refetch()}>
            {say.again}
          </Button>
          <Button needs={["dns", "flush"]} busy={flush.isPending} onPress={forget}>
            {pattern ? say.forgetFitting(pattern) : say.forgetAll}
          </Button>
        </>
      }
    >
      <div className="dns-search">
        <TextField
          label={say.pattern}
          hint={say.patternHint}
          type="search"
          placeholder="*.example.org"
          value={typed}
          onChange={setTyped}
        />
      </div>
      <Loaded query={entries}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty says={pattern ? kit.nothingFound : say.empty} />
          ) : (
            <>
              <p className="quiet fine">
                {rows.length < shownMost
                  ? say.count(format.number(rows.length))
                  : say.firstOf(format.number(shownMost))}
              </p>
              <Table
                label={say.title}
                rows={rows}
                rowKey={({ egress, name, type }) => `${egress} ${name} ${type}`}
                columns={[
                  { key: "name", title: say.name, width: "2.5fr", cell: ({ name }) => name },
                  { key: "type", title: say.type, width: "5rem", cell: ({ type }) => type },
                  { key: "egress", title: say.way, cell: ({ egress }) => wayNames(egress) },
                  { key: "rcode", title: say.rcode, width: "7rem", cell: ({ rcode }) => rcode },
                  {
                    key: "ttl",
                    title: say.left,
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
