import type { Secret } from "@portcullis/contract/subsystems/secrets";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, StopDialog } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { everyRow, useAct } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { Encryption } from "./encryption.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

/** Names and versions of secrets, never a value. */
export function SecretsCard() {
  const { settings: say } = useWords();
  const query = useQuery(everyRow("secrets", "list"));
  const [deed, setDeed] = useAddress("do");
  const [open, setOpen] = useAddress("secret");
  const [leaving, setLeaving] = useState<Secret>();
  return (
    <LoadedCard
      title={say.secrets}
      query={query}
      actions={
        <Button icon="add" needs={["secrets", "create"]} onPress={() => setDeed("secret")}>
          {say.addSecret}
        </Button>
      }
    >
      {(secrets) => {
        const edited = secrets.find(({ id }) => id === open);
        return (
          <>
            <Encryption />
            {secrets.length === 0 ? (
              <Empty says={say.noSecrets} />
            ) : (
              <SecretTable secrets={secrets} onEdit={({ id }) => setOpen(id)} onRemove={setLeaving} />
            )}
            {deed === "secret" && <SecretDialog onClose={() => setDeed("")} />}
            {edited && <SecretDialog key={edited.id} secret={edited} onClose={() => setOpen("")} />}
            {leaving && <RemoveDialog secret={leaving} onClose={() => setLeaving(undefined)} />}
          </>
        );
      }}
    </LoadedCard>
  );
}

interface TableProps {
  readonly secrets: readonly Secret[];
  readonly onEdit: (secret: Secret) => void;
  readonly onRemove: (secret: Secret) => void;
}

function SecretTable({ secrets, onEdit, onRemove }: TableProps) {
  const { kit, settings: say } = useWords();
  const format = useFormat();
  const columns: Column<Secret>[] = [
    { key: "name", title: say.name, width: "2fr", cell: ({ name }) => <span className="strong">{name}</span> },
    {
      key: "about",
      title: say.about,
      width: "2fr",
      cell: ({ description }) => description !== "" && <span className="quiet fine">{description}</span>,
    },
    { key: "purpose", title: say.purpose, width: "1.5fr", cell: ({ purpose }) => say.purposes[purpose] },
    { key: "version", title: say.version, right: true, width: "0.6fr", cell: ({ version }) => format.number(version) },
    { key: "updated", title: say.updated, cell: ({ updated_at }) => <Ago at={updated_at} /> },
    {
      key: "actions",
      title: kit.more,
      actions: true,
      width: "2.75rem",
      cell: (secret) =>
        secret.purpose === "stored" && (
          <Menu
            label={kit.actionsFor(secret.name)}
            items={[
              { label: say.change, icon: "edit", needs: ["secrets", "update"], onPress: () => onEdit(secret) },
              {
                label: kit.remove,
                icon: "remove",
                danger: true,
                needs: ["secrets", "remove"],
                onPress: () => onRemove(secret),
              },
            ]}
          />
        ),
    },
  ];
  return <Table label={say.secrets} rows={secrets} columns={columns} rowKey={({ id }) => id} />;
}

function RemoveDialog({ secret: { id, name }, onClose }: { readonly secret: Secret; readonly onClose: () => void }) {
  const { settings: say } = useWords();
  const remove = useAct("secrets", "remove");
  return (
    <StopDialog
      onClose={onClose}
      title={say.removeTitle(name)}
      says={say.removes(name)}
      act={() => remove.mutateAsync({ params: { id } })}
      doneSays={say.removed(name)}
    />
  );
}
