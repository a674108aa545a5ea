import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import { createContext, useContext } from "react";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { isUp } from "../../components/tunnels/condition.ts";
import type { Uses } from "./consequences.ts";

/** Actions of a tunnel that open a dialog. In the URL: `?do=edit:ID`. */
export const dialogs = ["config", "phone", "edit", "remove", "down"] as const;
export type DialogName = (typeof dialogs)[number];

export interface Actions {
  readonly up: (tunnel: Tunnel) => void;
  /** Opens a confirmation if devices would be affected. */
  readonly down: (tunnel: Tunnel) => void;
  readonly busyWith: string | undefined;
  readonly openDialog: (dialog: DialogName, tunnel: Tunnel) => void;
  readonly show: (tunnel: Tunnel) => void;
}
const TunnelActions = createContext<Actions | undefined>(undefined);
export const ActionsProvider = TunnelActions;
export const useActions = (): Actions => useContext(TunnelActions)!;

interface ActionHandlers {
  readonly uses: Uses;
  readonly openDialog: (dialog: DialogName, id: string) => void;
  readonly show: (id: string) => void;
}

export function useTunnelActions({ uses, openDialog, show }: ActionHandlers): Actions {
  const t = useTranslation().tunnels;
  const toast = useToast();
  const invalidates = ["policyViews", "enforcement"] as const;
  const up = useAction("tunnels", "up", { invalidates });
  const down = useAction("tunnels", "down", { invalidates });
  const bringUp = ({ id, name }: Tunnel) =>
    up.mutate({ params: { id } }, { onError: toast.failed, onSuccess: () => toast.done(t.isOn(name)) });
  return {
    up: bringUp,
    down: (tunnel) => {
      const { id, name } = tunnel;
      if (isUp(tunnel) && (uses.get(id)?.length ?? 0) > 0) return openDialog("down", id);
      down.mutate(
        { params: { id } },
        { onError: toast.failed, onSuccess: () => toast.done(t.isOff(name), () => bringUp(tunnel)) },
      );
    },
    busyWith: up.isPending ? up.variables.params.id : down.isPending ? down.variables.params.id : undefined,
    openDialog: (dialog, { id }) => openDialog(dialog, id),
    show: ({ id }) => show(id),
  };
}

/** On or off, and the rest in a menu. */
export function TunnelButtons({ tunnel, within }: { readonly tunnel: Tunnel; readonly within?: "details" }) {
  const { tunnels: t, ui } = useTranslation();
  const actions = useActions();
  const busy = actions.busyWith === tunnel.id;
  return (
    <div className="row tunnels-buttons">
      {tunnel.enabled ? (
        <Button needs={["tunnels", "down"]} busy={busy} onPress={() => actions.down(tunnel)}>
          {t.switchOff}
        </Button>
      ) : (
        <Button needs={["tunnels", "up"]} busy={busy} onPress={() => actions.up(tunnel)}>
          {t.switchOn}
        </Button>
      )}
      <Menu
        label={ui.actionsFor(tunnel.name)}
        items={[
          within !== "details" && { label: t.details, onPress: () => actions.show(tunnel) },
          tunnel.enabled &&
            !isUp(tunnel) && {
              label: t.tryAgain,
              icon: "refresh",
              needs: ["tunnels", "up"],
              onPress: () => actions.up(tunnel),
            },
          { label: t.showConfig, onPress: () => actions.openDialog("config", tunnel) },
          tunnel.type === "wireguard" && {
            label: t.forPhone,
            needs: ["tunnels", "generateKeys"],
            onPress: () => actions.openDialog("phone", tunnel),
          },
          {
            label: ui.edit,
            icon: "edit",
            needs: ["tunnels", "update"],
            onPress: () => actions.openDialog("edit", tunnel),
          },
          {
            label: ui.remove,
            icon: "remove",
            danger: true,
            needs: ["tunnels", "remove"],
            onPress: () => actions.openDialog("remove", tunnel),
          },
        ]}
      />
    </div>
  );
}
