import type { Secret } from "@portcullis/contract/subsystems/secrets";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Menu, StopDialog } from "../../ui/floating.tsx";
import { Empty, LoadedCard } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { Encryption } from "./encryption.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

/** Names and versions of secrets, never a value. */
export function SecretsCard() {
  const { settings: t } = useTranslation();
  const query = useQuery(allRows("secrets", "list"));
  const [action, setAction] = useSearchParam("do");
  const [open, setOpen] = useSearchParam("secret");
  const [leaving, setLeaving] = useState<Secret>();
  return (
    <LoadedCard
      title={t.secrets}
      query={query}
      actions={
        <Button icon="add" needs={["secrets", "create"]} onPress={() => setAction("secret")}>
          {t.addSecret}
        </Button>
      }
    >
      {(secrets) => {
        const edited = secrets.find(({ id }) => id === open);
        return (
          <>
            <Encryption />
            {secrets.length === 0 ? (
              <Empty text={t.noSecrets} />
            ) : (
              <SecretTable secrets={secrets} onEdit={({ id }) => setOpen(id)} onRemove={setLeaving} />
            )}
            {action === "secret" && <SecretDialog onClose={() => setAction("")} />}
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
  const { ui, settings: t } = useTranslation();
  const format = useFormat();
  const columns: Column<Secret>[] = [
    { key: "name", title: t.name, width: "2fr", cell: ({ name }) => <span className="strong">{name}</span> },
    {
      key: "about",
      title: t.about,
      width: "2fr",
      cell: ({ description }) => description !== "" && <span className="quiet fine">{description}</span>,
    },
    { key: "purpose", title: t.purpose, width: "1.5fr", cell: ({ purpose }) => t.purposes[purpose] },
    { key: "version", title: t.version, right: true, width: "0.6fr", cell: ({ version }) => format.number(version) },
    { key: "updated", title: t.updated, cell: ({ updated_at }) => <Ago at={updated_at} /> },
    {
      key: "actions",
      title: ui.more,
      actions: true,
      width: "2.75rem",
      cell: (secret) =>
        secret.purpose === "stored" && (
          <Menu
            label={ui.actionsFor(secret.name)}
            items={[
              { label: t.change, icon: "edit", needs: ["secrets", "update"], onPress: () => onEdit(secret) },
              {
                label: ui.remove,
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
  return <Table label={t.secrets} rows={secrets} columns={columns} rowKey={({ id }) => id} />;
}

function RemoveDialog({ secret: { id, name }, onClose }: { readonly secret: Secret; readonly onClose: () => void }) {
  const { settings: t } = useTranslation();
  const remove = useAction("secrets", "remove");
  return (
    <StopDialog
      onClose={onClose}
      title={t.removeTitle(name)}
      text={t.removes(name)}
      act={() => remove.mutateAsync({ params: { id } })}
      doneText={t.removed(name)}
    />
  );
}
