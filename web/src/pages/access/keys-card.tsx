import type { ApiKey } from "@portcullis/contract/subsystems/auth";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago, useNow } from "../../ui/time.tsx";
import { reading, useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";
import { KeyDialog } from "./key-dialog.tsx";

export function KeysCard() {
  const { access: say } = useWords();
  const query = useQuery(reading("auth", "keys"));
  const [deed, setDeed] = useAddress("do");
  const [leaving, setLeaving] = useState<ApiKey>();
  const add = (
    <Button icon="add" needs={["auth", "createKey"]} onPress={() => setDeed("add")}>
      {say.addKey}
    </Button>
  );
  return (
    <LoadedCard title={say.keys} query={query} actions={add}>
      {(keys) => (
        <>
          {keys.length === 0 ? <Empty says={say.noKeys} /> : <KeyTable keys={keys} onRevoke={setLeaving} />}
          <KeyDialog open={deed === "add"} onClose={() => setDeed("")} />
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
  const { frame, access: say } = useWords();
  const columns: Column<ApiKey>[] = [
    { key: "name", title: say.name, width: "2fr", cell: ({ name }) => <span className="strong">{name}</span> },
    { key: "role", title: say.role, cell: ({ role }) => frame.roles[role] },
    { key: "made", title: say.made, cell: ({ created_at }) => <Ago at={created_at} /> },
    { key: "ends", title: say.ends, cell: ({ expires_at }) => <End at={expires_at} /> },
    { key: "from", title: say.from, cell: ({ source }) => <span className="quiet">{say.sources[source]}</span> },
    {
      key: "revoke",
      title: say.revoke,
      actions: true,
      width: "6.5rem",
      cell: (key) =>
        key.source === "api" && (
          <Button
            kind="quiet"
            needs={["auth", "removeKey"]}
            label={say.revokeTitle(key.name)}
            onPress={() => onRevoke(key)}
          >
            {say.revoke}
          </Button>
        ),
    },
  ];
  return <Table label={say.keys} rows={keys} columns={columns} rowKey={({ id }) => id} />;
}

function End({ at }: { readonly at: string | null }) {
  const { access: say } = useWords();
  const now = useNow();
  if (at === null) return <span className="quiet">{say.never}</span>;
  return new Date(at) < now ? <span className="state direct">{say.ended}</span> : <Ago at={at} />;
}

function RevokeDialog({ apiKey: { id, name }, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const { access: say } = useWords();
  const revoke = useAct("auth", "removeKey");
  return (
    <StopDialog
      onClose={onClose}
      title={say.revokeTitle(name)}
      says={say.revokes(name)}
      act={() => revoke.mutateAsync({ params: { id } })}
      doneSays={say.revoked(name)}
    />
  );
}
