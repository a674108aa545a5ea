import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParam, useGo } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Empty, Loaded, Page } from "../../ui/page.tsx";
import { allRows, apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { countedAs, type Flow, useFlows } from "../../components/flows.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { isUp } from "../../components/tunnels/condition.ts";
import { usesOf } from "./consequences.ts";
import { ActionsProvider, type DialogName, dialogs, useTunnelActions } from "./actions.tsx";
import { DetailDialog } from "./detail-dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { ImportDialog } from "../../components/tunnels/import-dialog.tsx";
import { CreateDialog } from "./create-dialog.tsx";
import { PhoneDialog } from "./phone-dialog.tsx";
import { ConfigDialog, DownDialog, RemoveDialog } from "./stop-dialogs.tsx";
import { TunnelCard } from "./tunnel-card.tsx";
import { TunnelTable } from "./tunnel-table.tsx";
import "./tunnels.css";

const maxCards = 24;
const none: readonly TunnelEgress[] = [];

export function TunnelsPage() {
  const { shell, tunnels: t } = useTranslation();
  const [open, setOpen] = useSearchParam("open");
  const [doing, setDoing] = useSearchParam("do");
  const tunnels = useQuery({ ...allRows("tunnels", "list"), refetchInterval: 2000 });
  const egress = useQuery({ ...apiQuery("tunnels", "egress"), refetchInterval: 5000 });
  const uses = useMemo(() => usesOf(egress.data ?? none), [egress.data]);
  const flows = useFlows(
    tunnels.data?.map((it) => countedAs(it.id, it)),
    tunnels.dataUpdatedAt,
  );
  const actions = useTunnelActions({ uses, openDialog: (dialog, id) => setDoing(`${dialog}:${id}`), show: setOpen });
  const policiesOf = (id: string) => uses.get(id) ?? none;
  return (
    <ActionsProvider value={actions}>
      <Page
        title={shell.titles.tunnels}
        subtitle={t.subtitle}
        actions={
          <>
            <Button needs={["tunnels", "create"]} onPress={() => setDoing("make")}>
              {t.makeOne}
            </Button>
            <Button kind="main" icon="add" needs={["tunnels", "importWireguard"]} onPress={() => setDoing("import")}>
              {t.importOne}
            </Button>
          </>
        }
      >
        <Loaded query={tunnels} lines={6}>
          {(all) => (
            <>
              {all.length === 0 && <Empty text={t.none} />}
              {all.length > 0 && <p>{t.connected(all.filter(isUp).length, all.length)}</p>}
              {all.length > maxCards ? (
                <TunnelTable tunnels={all} uses={uses} flows={flows} open={open} />
              ) : (
                <div className="tunnels-grid">
                  {all.map((tunnel) => (
                    <TunnelCard
                      key={tunnel.id}
                      tunnel={tunnel}
                      policies={policiesOf(tunnel.id)}
                      flow={flows.get(tunnel.id)}
                    />
                  ))}
                </div>
              )}
              {open !== "" && (
                <Opened
                  tunnel={all.find(({ id }) => id === open)}
                  policies={policiesOf(open)}
                  flow={flows.get(open)}
                  onClose={() => setOpen("")}
                />
              )}
              <ActiveDialog doing={doing} tunnels={all} policiesOf={policiesOf} onClose={() => setDoing("")} />
            </>
          )}
        </Loaded>
      </Page>
    </ActionsProvider>
  );
}

interface OpenedProps {
  readonly tunnel: Tunnel | undefined;
  readonly policies: readonly TunnelEgress[];
  readonly flow: Flow | undefined;
  readonly onClose: () => void;
}

function Opened({ tunnel, ...rest }: OpenedProps) {
  const { tunnels: t, shell } = useTranslation();
  if (tunnel) return <DetailDialog tunnel={tunnel} {...rest} />;
  return (
    <Dialog open onClose={rest.onClose} title={shell.titles.tunnels}>
      <p>{t.gone}</p>
    </Dialog>
  );
}

interface ActiveDialogProps {
  readonly doing: string;
  readonly tunnels: readonly Tunnel[];
  readonly policiesOf: (id: string) => readonly TunnelEgress[];
  readonly onClose: () => void;
}

/** The dialog in the URL, if the role may use it. */
function ActiveDialog({ doing, tunnels, policiesOf, onClose }: ActiveDialogProps) {
  const may = useMay();
  const go = useGo();
  if (doing === "import") return may(["tunnels", "importWireguard"]) && <ImportDialog onClose={onClose} />;
  if (doing === "make") return may(["tunnels", "create"]) && <CreateDialog onClose={onClose} />;
  const [word, id = ""] = doing.split(":");
  const name = dialogs.find((it) => it === word);
  const tunnel = tunnels.find((it) => it.id === id);
  if (!name || !tunnel || !may(["tunnels", needed[name]])) return null;
  const props = { tunnel, onClose };
  if (name === "config") return <ConfigDialog {...props} />;
  if (name === "phone") return tunnel.type === "wireguard" && <PhoneDialog {...props} />;
  if (name === "edit") return <EditDialog {...props} policies={policiesOf(id)} />;
  // Its details may be open as well: close them.
  if (name === "remove") return <RemoveDialog tunnel={tunnel} onClose={() => go("/tunnels")} />;
  return <DownDialog {...props} policies={policiesOf(id)} />;
}

const needed = {
  config: "config",
  phone: "generateKeys",
  edit: "update",
  remove: "remove",
  down: "down",
} as const satisfies Record<DialogName, string>;
