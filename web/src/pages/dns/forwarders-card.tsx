import type { DnsForwarder } from "@portcullis/contract/subsystems/dns-upstreams";
import { useQuery } from "@tanstack/react-query";
import { useDraft } from "../../ui/draft.ts";
import { EntryTable } from "../../ui/entry-table.tsx";
import { AreaField, SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { allRows, useSave } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useEnabledColumn } from "./enabled-column.tsx";
import { useRemoval } from "./removal.ts";
import { defaultPorts, itemsOf } from "./forwarder-fields.ts";

export function ForwardersCard() {
  const { dns } = useTranslation();
  const t = dns.resolvers;
  const format = useFormat();
  const forwarders = useQuery(allRows("dnsForwarders", "list"));
  const enabled = useEnabledColumn<DnsForwarder>("dnsForwarders", ({ name }) => name);
  const remove = useRemoval("dnsForwarders");
  return (
    <EntryTable
      title={t.forwarders}
      query={forwarders}
      nameOf={({ name }) => name}
      empty={t.noForwarders}
      subsystem="dnsForwarders"
      add={t.add}
      word="add"
      columns={[
        { key: "name", title: t.name, width: "1.3fr", cell: ({ name }) => name },
        {
          key: "address",
          title: t.address,
          width: "1.8fr",
          cell: ({ address, port, protocol }) =>
            `${address} · ${t.protocols[protocol]} · ${port ?? defaultPorts[protocol]}`,
        },
        {
          key: "domains",
          title: t.domains,
          width: "1.5fr",
          cell: ({ domains }) => (domains.length > 0 ? format.list(domains.slice(0, 4)) : t.everything),
        },
        { key: "priority", title: t.priority, width: "6rem", right: true, cell: ({ priority }) => priority },
        enabled,
      ]}
      dialog={(row, onClose) => <ForwarderDialog row={row} onClose={onClose} />}
      removal={(it) => remove(it, it.name)}
    />
  );
}

const protocols = ["plain", "dot", "doh"] as const;

const draftOf = (row?: DnsForwarder) => ({
  name: row?.name ?? "",
  address: row?.address ?? "",
  protocol: row?.protocol ?? ("plain" as const),
  port: row?.port == null ? "" : String(row.port),
  server_name: row?.server_name ?? "",
  path: row?.path ?? "/dns-query",
  domains: row?.domains.join("\n") ?? "",
  priority: String(row?.priority ?? 100),
  post_quantum: row?.post_quantum ?? false,
  enabled: row?.enabled ?? true,
});

const bodyOf = (draft: ReturnType<typeof draftOf>) => ({
  ...draft,
  address: draft.address.trim(),
  port: draft.port.trim() === "" ? null : Number(draft.port),
  server_name: draft.protocol === "plain" ? null : draft.server_name.trim() || null,
  post_quantum: draft.protocol === "plain" ? false : draft.post_quantum,
  domains: itemsOf(draft.domains),
  priority: Number(draft.priority),
});

function ForwarderDialog({ row, onClose }: { readonly row: DnsForwarder | undefined; readonly onClose: () => void }) {
  const { dns } = useTranslation();
  const t = dns.resolvers;
  const [draft, change] = useDraft(draftOf(row));
  const { save, ...saving } = useSave("dnsForwarders", row?.id, { invalidates: ["dns"], onDone: onClose });
  const body = bodyOf(draft);
  const isSealed = draft.protocol !== "plain";
  return (
    <FormDialog
      needs={["dnsForwarders", row ? "update" : "create"]}
      title={row ? dns.rules.edit(row.name) : t.add}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
    >
      <TextField label={t.name} name="name" value={draft.name} autoFocus onChange={(name) => change({ name })} />
      <div className="grid dns-pair">
        <TextField
          label={t.address}
          name="address"
          placeholder="9.9.9.9"
          value={draft.address}
          onChange={(address) => change({ address })}
        />
        <SelectField
          label={t.protocol}
          name="protocol"
          value={draft.protocol}
          onChange={(protocol) => change({ protocol })}
          options={protocols.map((value) => ({ value, label: t.protocols[value] }))}
        />
        <TextField
          label={t.port}
          name="port"
          type="number"
          min={1}
          max={65_535}
          optional
          placeholder={String(defaultPorts[draft.protocol])}
          value={draft.port}
          onChange={(port) => change({ port })}
        />
        <TextField
          label={t.priority}
          name="priority"
          type="number"
          min={0}
          max={1000}
          hint={t.priorityHint}
          value={draft.priority}
          onChange={(priority) => change({ priority })}
        />
        {isSealed && (
          <TextField
            label={t.serverName}
            hint={t.serverNameHint}
            name="server_name"
            optional
            placeholder="dns.example.org"
            value={draft.server_name}
            onChange={(server_name) => change({ server_name })}
          />
        )}
        {draft.protocol === "doh" && (
          <TextField label={t.path} name="path" value={draft.path} onChange={(path) => change({ path })} />
        )}
      </div>
      <AreaField
        label={t.domains}
        hint={t.domainsHint}
        name="domains"
        optional
        value={draft.domains}
        onChange={(domains) => change({ domains })}
      />
      {isSealed && (
        <SwitchField
          label={t.postQuantum}
          hint={t.postQuantumHint}
          value={draft.post_quantum}
          onChange={(post_quantum) => change({ post_quantum })}
        />
      )}
      <SwitchField label={dns.rules.enabled} value={draft.enabled} onChange={(enabled) => change({ enabled })} />
    </FormDialog>
  );
}
