import type { PqCrypto } from "@portcullis/contract/subsystems/pq-crypto";
import { useQuery } from "@tanstack/react-query";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { Table } from "../../ui/table.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { rulesOf } from "../../api/rules.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** Which key exchange the gateway offers to servers, and for which connections. */
export function PqCryptoCard() {
  const { pqCrypto: t } = useTranslation();
  const [doing, setDoing] = useSearchParam("do");
  const query = useQuery(apiQuery("pqCrypto", "get"));
  return (
    <LoadedCard
      title={t.title}
      query={query}
      actions={
        <Button icon="edit" needs={["pqCrypto", "put"]} onPress={() => setDoing("pq-crypto")}>
          {t.change}
        </Button>
      }
    >
      {(data) => (
        <>
          <p className="quiet">{t.intro}</p>
          <p className="strong">{t.modes[data.mode]}</p>
          <p>
            {t.offered}: <span className="wrap">{data.groups.join(", ")}</span>
          </p>
          <Connections connections={data.connections} />
          {doing === "pq-crypto" && <ModeDialog stored={data} onClose={() => setDoing("")} />}
        </>
      )}
    </LoadedCard>
  );
}

function Connections({ connections }: Pick<PqCrypto, "connections">) {
  const { pqCrypto: t } = useTranslation();
  return (
    <Table
      label={t.connections}
      rows={connections}
      rowKey={({ kind, program }) => `${kind} ${program}`}
      columns={[
        { key: "purpose", title: t.purpose, width: "2fr", cell: ({ kind }) => t.kinds[kind] },
        { key: "program", title: t.program, cell: ({ program }) => program },
        { key: "governed", title: t.governs, cell: ({ governed }) => (governed ? t.yes : t.no) },
      ]}
    />
  );
}

function ModeDialog({ stored, onClose }: { readonly stored: PqCrypto; readonly onClose: () => void }) {
  const { pqCrypto: t } = useTranslation();
  const toast = useToast();
  const form = useBody(rulesOf("pqCrypto", "put"), { stored });
  const onDone = () => {
    toast.done(t.saved);
    onClose();
  };
  const put = useAction("pqCrypto", "put", { invalidates: ["settings", "dns"], onDone });
  return (
    <BodyDialog
      form={form}
      title={t.title}
      needs={["pqCrypto", "put"]}
      onClose={onClose}
      onSave={(body) => put.mutate({ body: { mode: body.mode! } })}
      busy={put.isPending}
      problem={put.error}
      fields={["mode"]}
      texts={{ mode: { ...t.mode, options: t.modes } }}
    />
  );
}
