import type { DnsForwarder } from "@portcullis/contract/subsystems/dns-upstreams";
import { useQuery } from "@tanstack/react-query";
import { useDraft } from "../../ui/draft.ts";
import { EntryTable } from "../../ui/entry-table.tsx";
import { AreaField, SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { everyRow, useSaving } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { useEnabledColumn } from "./enabled-column.tsx";
import { useRemoval } from "./removal.ts";
import { usualPorts, wordsOf } from "./forwarder-fields.ts";

export function ForwardersCard() {
  const { dns } = useWords();
  const say = dns.resolvers;
  const format = useFormat();
  const forwarders = useQuery(everyRow("dnsForwarders", "list"));
  const enabled = useEnabledColumn<DnsForwarder>("dnsForwarders", ({ name }) => name);
  const remove = useRemoval("dnsForwarders");
  return (
    <EntryTable
      title={say.forwarders}
      query={forwarders}
      nameOf={({ name }) => name}
      empty={say.noForwarders}
      subsystem="dnsForwarders"
      add={say.add}
      word="add"
      columns={[
        { key: "name", title: say.name, width: "1.3fr", cell: ({ name }) => name },
        {
          key: "address",
          title: say.address,
          width: "1.8fr",
          cell: ({ address, port, protocol }) =>
            `${address} · ${say.protocols[protocol]} · ${port ?? usualPorts[protocol]}`,
        },
        {
          key: "domains",
          title: say.domains,
          width: "1.5fr",
          cell: ({ domains }) => (domains.length > 0 ? format.list(domains.slice(0, 4)) : say.everything),
        },
        { key: "priority", title: say.priority, width: "6rem", right: true, cell: ({ priority }) => priority },
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
  domains: wordsOf(draft.domains),
  priority: Number(draft.priority),
});

function ForwarderDialog({ row, onClose }: { readonly row: DnsForwarder | undefined; readonly onClose: () => void }) {
  const { dns } = useWords();
  const say = dns.resolvers;
  const [draft, change] = useDraft(draftOf(row));
  const { save, ...saving } = useSaving("dnsForwarders", row?.id, { renews: ["dns"], onDone: onClose });
  const body = bodyOf(draft);
  const isSealed = draft.protocol !== "plain";
  return (
    <FormDialog
      needs={["dnsForwarders", row ? "update" : "create"]}
      title={row ? dns.rules.edit(row.name) : say.add}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
    >
      <TextField label={say.name} name="name" value={draft.name} autoFocus onChange={(name) => change({ name })} />
      <div className="grid dns-pair">
        <TextField
          label={say.address}
          name="address"
          placeholder="9.9.9.9"
          value={draft.address}
          onChange={(address) => change({ address })}
        />
        <SelectField
          label={say.protocol}
          name="protocol"
          value={draft.protocol}
          onChange={(protocol) => change({ protocol })}
          options={protocols.map((value) => ({ value, label: say.protocols[value] }))}
        />
        <TextField
          label={say.port}
          name="port"
          type="number"
          min={1}
          max={65_535}
          optional
          placeholder={String(usualPorts[draft.protocol])}
          value={draft.port}
          onChange={(port) => change({ port })}
        />
        <TextField
          label={say.priority}
          name="priority"
          type="number"
          min={0}
          max={1000}
          hint={say.priorityHint}
          value={draft.priority}
          onChange={(priority) => change({ priority })}
        />
        {isSealed && (
          <TextField
            label={say.serverName}
            hint={say.serverNameHint}
            name="server_name"
            optional
            placeholder="dns.example.org"
            value={draft.server_name}
            onChange={(server_name) => change({ server_name })}
          />
        )}
        {draft.protocol === "doh" && (
          <TextField label={say.path} name="path" value={draft.path} onChange={(path) => change({ path })} />
        )}
      </div>
      <AreaField
        label={say.domains}
        hint={say.domainsHint}
        name="domains"
        optional
        value={draft.domains}
        onChange={(domains) => change({ domains })}
      />
      {isSealed && (
        <SwitchField
          label={say.postQuantum}
          hint={say.postQuantumHint}
          value={draft.post_quantum}
          onChange={(post_quantum) => change({ post_quantum })}
        />
      )}
      <SwitchField label={dns.rules.enabled} value={draft.enabled} onChange={(enabled) => change({ enabled })} />
    </FormDialog>
  );
}
