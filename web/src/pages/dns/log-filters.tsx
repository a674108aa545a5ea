import { useMemo } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { SelectField, TextField } from "../../ui/form.tsx";
import { PickField } from "../../ui/pick.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import type { LogFilters } from "./following.ts";
import { useDebounced } from "../../ui/debounced.ts";
import { useKnown } from "./sources.tsx";

const verdicts = ["none", "allow", "block", "rewrite", "cname", "rebind"] as const;
const types = ["A", "AAAA", "HTTPS", "CNAME", "MX", "TXT", "SRV", "PTR", "NS", "SOA", "CAA", "SVCB"];

/** The filters of the log, in the URL. */
export function useLogFilters(): LogFilters {
  const name = useDebounced(useSearchParam("name")[0].trim());
  const client = useDebounced(useSearchParam("client")[0].trim());
  const type = useDebounced(useSearchParam("type")[0].trim());
  const [wanted] = useSearchParam("verdict");
  const known = verdicts.find((it) => it === wanted);
  return useMemo(
    () => ({
      ...(name && { name }),
      ...(client && { client }),
      ...(type && { type }),
      ...(known && { verdict: known }),
    }),
    [name, client, type, known],
  );
}

export function LogFilterFields() {
  const { dns } = useTranslation();
  const t = dns.log;
  const [name, setName] = useSearchParam("name");
  const [client, setClient] = useSearchParam("client");
  const [verdict, setVerdict] = useSearchParam("verdict");
  const [type, setType] = useSearchParam("type");
  const { devices } = useKnown();
  const options = useMemo(() => [...devices.values()].map(({ id, name: label }) => ({ value: id, label })), [devices]);
  const typeOptions = useMemo(() => types.map((it) => ({ value: it, label: it })), []);
  return (
    <div className="dns-filters" role="search" aria-label={t.filters}>
      <TextField label={t.name} type="search" value={name} onChange={setName} placeholder={t.nameExample} />
      <PickField
        label={t.client}
        value={client}
        onChange={setClient}
        options={options}
        placeholder={t.anyClient}
        free
      />
      <SelectField
        label={t.verdict}
        value={verdict}
        onChange={setVerdict}
        options={[{ value: "", label: t.any }, ...verdicts.map((it) => ({ value: it, label: dns.verdicts[it] }))]}
      />
      <PickField label={t.type} value={type} onChange={setType} options={typeOptions} placeholder={t.any} free />
    </div>
  );
}
