import { useMemo } from "react";
import { useAddress } from "../../ui/address.ts";
import { SelectField, TextField } from "../../ui/form.tsx";
import { PickField } from "../../ui/pick.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import type { LogFilters } from "./following.ts";
import { useSettled } from "./settled.ts";
import { useKnown } from "./sources.tsx";

const verdicts = ["none", "allow", "block", "rewrite", "cname", "rebind"] as const;
const types = ["A", "AAAA", "HTTPS", "CNAME", "MX", "TXT", "SRV", "PTR", "NS", "SOA", "CAA", "SVCB"];

/** The filters of the log, in the URL. */
export function useLogFilters(): LogFilters {
  const name = useSettled(useAddress("name")[0].trim());
  const client = useSettled(useAddress("client")[0].trim());
  const type = useSettled(useAddress("type")[0].trim());
  const [wanted] = useAddress("verdict");
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
  const { dns } = useWords();
  const say = dns.log;
  const [name, setName] = useAddress("name");
  const [client, setClient] = useAddress("client");
  const [verdict, setVerdict] = useAddress("verdict");
  const [type, setType] = useAddress("type");
  const { devices } = useKnown();
  const options = useMemo(() => [...devices.values()].map(({ id, name: label }) => ({ value: id, label })), [devices]);
  const typeOptions = useMemo(() => types.map((it) => ({ value: it, label: it })), []);
  return (
    <div className="dns-filters" role="search" aria-label={say.filters}>
      <TextField label={say.name} type="search" value={name} onChange={setName} placeholder={say.nameExample} />
      <PickField
        label={say.client}
        value={client}
        onChange={setClient}
        options={options}
        placeholder={say.anybody}
        free
      />
      <SelectField
        label={say.verdict}
        value={verdict}
        onChange={setVerdict}
        options={[{ value: "", label: say.any }, ...verdicts.map((it) => ({ value: it, label: dns.verdicts[it] }))]}
      />
      <PickField label={say.type} value={type} onChange={setType} options={typeOptions} placeholder={say.any} free />
    </div>
  );
}
