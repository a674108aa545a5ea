import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, LoadedCard, Page } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, apiQuery, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { ProxyDialog } from "./proxy-dialog.tsx";
import { type ProxyActions, ProxyTable } from "./proxy-table.tsx";
import { OffDialog, policiesThrough, RemoveDialog } from "./stop-dialogs.tsx";
import { TproxyCard } from "./tproxy-card.tsx";
import "./proxies.css";

export function ProxiesPage() {
  const { shell, proxies: t } = useTranslation();
  const [open] = useSearchParam("open");
  const [doing, setDoing] = useSearchParam("do");
  const proxies = useQuery({ ...allRows("proxies", "list"), refetchInterval: 5000 });
  const tunnels = useQuery(allRows("tunnels", "list")).data;
  const egress = useQuery(apiQuery("tunnels", "egress")).data ?? [];
  const names = useMemo(() => new Map(tunnels?.map(({ id, name }) => [id, name])), [tunnels]);
  const actions = useProxyActions(
    (proxy) => proxy.connections > 0 || policiesThrough(egress, proxy).length > 0,
    (word, { id }) => setDoing(`${word}:${id}`),
  );
  const add = (
    <Button kind="main" icon="add" needs={["proxies", "create"]} onPress={() => setDoing("add")}>
      {t.addOne}
    </Button>
  );
  const [word, id] = doing.split(":");
  const chosen = proxies.data?.find((it) => it.id === id);
  const close = () => setDoing("");
  const may = useMay();
  return (
    <Page title={shell.titles.proxies} subtitle={t.subtitle} actions={add}>
      {(["local", "upstream"] as const).map((kind) => (
        <LoadedCard key={kind} title={t.kinds[kind]} query={proxies}>
          {(all) => {
            const rows = all.filter((it) => it.kind === kind);
            return rows.length === 0 ? (
              <Empty text={t.none[kind]} />
            ) : (
              <ProxyTable kind={kind} rows={rows} tunnels={names} actions={actions} open={open} />
            );
          }}
        </LoadedCard>
      ))}
      <TproxyCard />
      {word === "add" && may(["proxies", "create"]) && <ProxyDialog onClose={close} />}
      {chosen && may(["proxies", "update"]) && (
        <>
          {word === "edit" && <ProxyDialog proxy={chosen} onClose={close} />}
          {word === "remove" && <RemoveDialog proxy={chosen} onClose={close} />}
          {word === "off" && <OffDialog proxy={chosen} policies={policiesThrough(egress, chosen)} onClose={close} />}
        </>
      )}
    </Page>
  );
}

function useProxyActions(
  isInUse: (proxy: Proxy) => boolean,
  ask: (word: "edit" | "remove" | "off", proxy: Proxy) => void,
): ProxyActions {
  const t = useTranslation().proxies;
  const toast = useToast();
  const update = useAction("proxies", "update", { invalidates: ["tproxy", "policyViews", "tunnels"] });
  const toggle = ({ id, name }: Proxy, enabled: boolean, undo?: () => void) =>
    update.mutate(
      { params: { id }, body: { enabled } },
      { onError: toast.failed, onSuccess: () => toast.done(enabled ? t.isOn(name) : t.isOff(name), undo) },
    );
  return {
    toggle: (proxy) => {
      if (proxy.enabled && isInUse(proxy)) return ask("off", proxy);
      toggle(proxy, !proxy.enabled, () => toggle(proxy, proxy.enabled));
    },
    edit: (proxy) => ask("edit", proxy),
    remove: (proxy) => ask("remove", proxy),
    busyWith: update.isPending ? update.variables.params.id : undefined,
  };
}
