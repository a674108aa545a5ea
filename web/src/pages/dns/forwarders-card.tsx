import type { DnsForwarder } from "@portcullis/contract/subsystems/dns-upstreams";
import { useQuery } from "@tanstack/react-query";
import { EntryTable } from "../../ui/entry-table.tsx";
import { allRows } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useEnabledColumn } from "./enabled-column.tsx";
import { useRemoval } from "./removal.ts";
import { defaultPorts } from "./forwarder-fields.ts";
import { EntryDialog } from "../../ui/body-form.tsx";

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

function ForwarderDialog({ row, onClose }: { readonly row: DnsForwarder | undefined; readonly onClose: () => void }) {
  const { dns } = useTranslation();
  const t = dns.resolvers;
  return (
    <EntryDialog
      of="dnsForwarders"
      row={row}
      onClose={onClose}
      invalidates={["dns"]}
      title={row ? dns.rules.edit(row.name) : t.add}
      fields={({ protocol }) => [
        "name",
        ["address", "protocol"],
        ["port", "priority"],
        protocol !== "plain" && "server_name",
        protocol === "doh" && "path",
        "domains",
        protocol !== "plain" && "post_quantum",
        "enabled",
      ]}
      texts={{
        name: t.name,
        address: t.address,
        protocol: { label: t.protocol, options: t.protocols },
        port: t.port,
        priority: { label: t.priority, hint: t.priorityHint },
        server_name: { label: t.serverName, hint: t.serverNameHint },
        path: t.path,
        domains: { label: t.domains, hint: t.domainsHint },
        post_quantum: { label: t.postQuantum, hint: t.postQuantumHint },
        enabled: dns.rules.enabled,
      }}
      // Only encrypted protocols have a name to check.
      body={({ protocol }) => (protocol === "plain" ? { server_name: null, post_quantum: false } : {})}
      examples={({ protocol = "plain" }) => ({
        address: "9.9.9.9",
        port: String(defaultPorts[protocol]),
        server_name: "dns.example.org",
      })}
    />
  );
}
