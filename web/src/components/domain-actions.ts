import type { Device, DeviceGroup } from "@portcullis/contract/subsystems/devices";
import type { DnsSource } from "@portcullis/contract/subsystems/dns-source";
import { useQuery } from "@tanstack/react-query";
import type { MenuItem } from "../ui/floating.tsx";
import { useToast } from "../ui/toasts.tsx";
import { everyRow, useAct } from "../api/reading.ts";
import { useMay } from "../api/session.tsx";
import type { Words } from "../i18n/en/en.ts";
import { useWords } from "../i18n/i18n.tsx";

/** The scope of a DNS entry. */
interface Scope extends DnsSource {
  readonly label: string;
}
type Verb = "block" | "allow";
type Items = readonly (MenuItem | { readonly title: string })[];

const lists = { block: "dnsBlocklist", allow: "dnsAllowlist" } as const;

/** Menu entries that block or allow a queried domain, per scope, with undo. */
export function useNameDeeds(): (name: string, device?: Device, first?: Verb) => Items {
  const say = useWords().nameDeeds;
  const toast = useToast();
  const may = useMay();
  const groups = useQuery({
    ...everyRow("deviceGroups", "list"),
    staleTime: 30_000,
    enabled: may(["deviceGroups", "list"]),
  }).data;
  const renews = ["dns", "dnsLog"] as const;
  const entries = {
    block: { add: useAct(lists.block, "create", { renews }), remove: useAct(lists.block, "remove", { renews }) },
    allow: { add: useAct(lists.allow, "create", { renews }), remove: useAct(lists.allow, "remove", { renews }) },
  };
  const enter = (verb: Verb, domain: string, { label, ...source }: Scope) => {
    const { add, remove } = entries[verb];
    add
      .mutateAsync({ body: { domain, ...source } })
      .then(
        ({ id }) =>
          toast.done(say.done[verb](domain, label), () => remove.mutate({ params: { id } }, { onError: toast.failed })),
        toast.failed,
      );
  };
  return (name, device, first = "block") => {
    const scopes = scopesOf(device, groups ?? [], say);
    const verbs = first === "block" ? (["block", "allow"] as const) : (["allow", "block"] as const);
    return [
      { title: say.title(name) },
      ...verbs.flatMap((verb) =>
        scopes.map((scope) => ({
          label: say[verb](scope.label),
          needs: [lists[verb], "create"] as const,
          onPress: () => enter(verb, name, scope),
        })),
      ),
    ];
  };
}

function scopesOf(
  device: Device | undefined,
  groups: readonly DeviceGroup[],
  say: Words["nameDeeds"],
): readonly Scope[] {
  const theirs = device ? groups.filter(({ id }) => device.group_ids.includes(id)) : [];
  return [
    ...(device ? [{ source_type: "device" as const, source_value: device.id, label: device.name }] : []),
    ...theirs.map(({ id, name }) => ({
      source_type: "device_group" as const,
      source_value: id,
      label: say.group(name),
    })),
    { source_type: "everyone", source_value: "", label: say.everyone },
  ];
}
