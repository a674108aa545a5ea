import type { Device, DeviceGroup } from "@portcullis/contract/subsystems/devices";
import type { DnsSource } from "@portcullis/contract/subsystems/dns-source";
import { useQuery } from "@tanstack/react-query";
import type { MenuItem } from "../ui/floating.tsx";
import { useToast } from "../ui/toasts.tsx";
import { allRows, useAction } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";
import type { Messages } from "../i18n/en/en.ts";
import { useTranslation } from "../i18n/i18n.tsx";

/** The scope of a DNS entry. */
interface Scope extends DnsSource {
  readonly label: string;
}
type Verb = "block" | "allow";
type Items = readonly (MenuItem | { readonly title: string })[];

const lists = { block: "dnsBlocklist", allow: "dnsAllowlist" } as const;

/** Menu entries that block or allow a queried domain, per scope, with undo. */
export function useDomainActions(): (name: string, device?: Device, first?: Verb) => Items {
  const t = useTranslation().domainActions;
  const toast = useToast();
  const may = useMay();
  const groups = useQuery({
    ...allRows("deviceGroups", "list"),
    staleTime: 30_000,
    enabled: may(["deviceGroups", "list"]),
  }).data;
  const invalidates = ["dns", "dnsLog"] as const;
  const entries = {
    block: {
      add: useAction(lists.block, "create", { invalidates }),
      remove: useAction(lists.block, "remove", { invalidates }),
    },
    allow: {
      add: useAction(lists.allow, "create", { invalidates }),
      remove: useAction(lists.allow, "remove", { invalidates }),
    },
  };
  const enter = (verb: Verb, domain: string, { label, ...source }: Scope) => {
    const { add, remove } = entries[verb];
    add
      .mutateAsync({ body: { domain, ...source } })
      .then(
        ({ id }) =>
          toast.done(t.done[verb](domain, label), () => remove.mutate({ params: { id } }, { onError: toast.failed })),
        toast.failed,
      );
  };
  return (name, device, first = "block") => {
    const scopes = scopesOf(device, groups ?? [], t);
    const verbs = first === "block" ? (["block", "allow"] as const) : (["allow", "block"] as const);
    return [
      { title: t.title(name) },
      ...verbs.flatMap((verb) =>
        scopes.map((scope) => ({
          label: t[verb](scope.label),
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
  t: Messages["domainActions"],
): readonly Scope[] {
  const theirs = device ? groups.filter(({ id }) => device.group_ids.includes(id)) : [];
  return [
    ...(device ? [{ source_type: "device" as const, source_value: device.id, label: device.name }] : []),
    ...theirs.map(({ id, name }) => ({
      source_type: "device_group" as const,
      source_value: id,
      label: t.group(name),
    })),
    { source_type: "everyone", source_value: "", label: t.everyone },
  ];
}
