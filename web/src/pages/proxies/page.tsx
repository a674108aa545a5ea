import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, LoadedCard, Page } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, reading, useAct } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { ProxyDialog } from "./proxy-dialog.tsx";
import { type ProxyDeeds, ProxyTable } from "./proxy-table.tsx";
import { OffDialog, policiesThrough, RemoveDialog } from "./stop-dialogs.tsx";
import { TproxyCard } from "./tproxy-card.tsx";
import "./proxies.css";

export function ProxiesPage() {
  const { frame, proxies: say } = useWords();
  const [open] = useAddress("open");
  const [doing, setDoing] = useAddress("do");
  const proxies = useQuery({ ...everyRow("proxies", "list"), refetchInterval: 5000 });
  const tunnels = useQuery(everyRow("tunnels", "list")).data;
  const egress = useQuery(reading("tunnels", "egress")).data ?? [];
  const names = useMemo(() => new Map(tunnels?.map(({ id, name }) => [id, name])), [tunnels]);
  const deeds = useProxyDeeds(
    (proxy) => proxy.connections > 0 || policiesThrough(egress, proxy).length > 0,
    (word, { id }) => setDoing(`${word}:${id}`),
  );
  const add = (
    <Button kind="main" icon="add" needs={["proxies", "create"]} onPress={() => setDoing("add")}>
      {say.addOne}
    </Button>
  );
  const [word, id] = doing.split(":");
  const chosen = proxies.data?.find((it) => it.id === id);
  const close = () => setDoing("");
  const may = useMay();
  return (
    <Page title={frame.titles.proxies} question={say.question} actions={add}>
      {(["local", "upstream"] as const).map((kind) => (
        <LoadedCard key={kind} title={say.kinds[kind]} query={proxies}>
          {(all) => {
            const rows = all.filter((it) => it.kind === kind);
            return rows.length === 0 ? (
              <Empty says={say.none[kind]} />
            ) : (
              <ProxyTable kind={kind} rows={rows} tunnels={names} deeds={deeds} open={open} />
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

function useProxyDeeds(
  isInUse: (proxy: Proxy) => boolean,
  ask: (word: "edit" | "remove" | "off", proxy: Proxy) => void,
): ProxyDeeds {
  const say = useWords().proxies;
  const toast = useToast();
  const update = useAct("proxies", "update", { renews: ["tproxy", "policyViews", "tunnels"] });
  const turn = ({ id, name }: Proxy, enabled: boolean, undo?: () => void) =>
    update.mutate(
      { params: { id }, body: { enabled } },
      { onError: toast.failed, onSuccess: () => toast.done(enabled ? say.isOn(name) : say.isOff(name), undo) },
    );
  return {
    turn: (proxy) => {
      if (proxy.enabled && isInUse(proxy)) return ask("off", proxy);
      turn(proxy, !proxy.enabled, () => turn(proxy, proxy.enabled));
    },
    edit: (proxy) => ask("edit", proxy),
    remove: (proxy) => ask("remove", proxy),
    busyWith: update.isPending ? update.variables.params.id : undefined,
  };
}
