import type { ApiKey } from "@portcullis/contract/subsystems/auth";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago, useNow } from "../../ui/time.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { KeyDialog } from "./key-dialog.tsx";

export function KeysCard() {
  const { access: t } = useTranslation();
  const query = useQuery(apiQuery("auth", "keys"));
  const [action, setAction] = useSearchParam("do");
  const [leaving, setLeaving] = useState<ApiKey>();
  const add = (
    <Button icon="add" needs={["auth", "createKey"]} onPress={() => setAction("add")}>
      {t.addKey}
    </Button>
  );
  return (
    <LoadedCard title={t.keys} query={query} actions={add}>
      {(keys) => (
        <>
          {keys.length === 0 ? <Empty text={t.noKeys} /> : <KeyTable keys={keys} onRevoke={setLeaving} />}
          <KeyDialog open={action === "add"} onClose={() => setAction("")} />
          {leaving && <RevokeDialog apiKey={leaving} onClose={() => setLeaving(undefined)} />}
        </>
      )}
    </LoadedCard>
  );
}

interface TableProps {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: (key: ApiKey) => void;
}

function KeyTable({ keys, onRevoke }: TableProps) {
  const { shell, access: t } = useTranslation();
  const columns: Column<ApiKey>[] = [
    { key: "name", title: t.name, width: "2fr", cell: ({ name }) => <span className="strong">{name}</span> },
    { key: "role", title: t.role, cell: ({ role }) => shell.roles[role] },
    { key: "made", title: t.made, cell: ({ created_at }) => <Ago at={created_at} /> },
    { key: "ends", title: t.ends, cell: ({ expires_at }) => <End at={expires_at} /> },
    { key: "from", title: t.from, cell: ({ source }) => <span className="quiet">{t.sources[source]}</span> },
    {
      key: "revoke",
      title: t.revoke,
      actions: true,
      width: "6.5rem",
      cell: (key) =>
        key.source === "api" && (
          <Button
            kind="quiet"
            needs={["auth", "removeKey"]}
            label={t.revokeTitle(key.name)}
            onPress={() => onRevoke(key)}
          >
            {t.revoke}
          </Button>
        ),
    },
  ];
  return <Table label={t.keys} rows={keys} columns={columns} rowKey={({ id }) => id} />;
}

function End({ at }: { readonly at: string | null }) {
  const { access: t } = useTranslation();
  const now = useNow();
  if (at === null) return <span className="quiet">{t.never}</span>;
  return new Date(at) < now ? <span className="state direct">{t.ended}</span> : <Ago at={at} />;
}

function RevokeDialog({ apiKey: { id, name }, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const { access: t } = useTranslation();
  const revoke = useAction("auth", "removeKey");
  return (
    <StopDialog
      onClose={onClose}
      title={t.revokeTitle(name)}
      text={t.revokes(name)}
      act={() => revoke.mutateAsync({ params: { id } })}
      doneText={t.revoked(name)}
    />
  );
}
