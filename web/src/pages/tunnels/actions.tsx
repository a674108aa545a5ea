import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import { createContext, useContext } from "react";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";
import { carries } from "../../components/tunnels/condition.ts";
import type { Uses } from "./consequences.ts";

/** Actions of a tunnel that open a dialog. In the URL: `?do=edit:ID`. */
export const dialogs = ["config", "phone", "edit", "remove", "down"] as const;
export type DialogName = (typeof dialogs)[number];

export interface Deeds {
  readonly up: (tunnel: Tunnel) => void;
  /** Opens a confirmation if devices would be affected. */
  readonly down: (tunnel: Tunnel) => void;
  readonly busyWith: string | undefined;
  readonly ask: (dialog: DialogName, tunnel: Tunnel) => void;
  readonly show: (tunnel: Tunnel) => void;
}
const TunnelDeeds = createContext<Deeds | undefined>(undefined);
export const DeedsProvider = TunnelDeeds;
export const useDeeds = (): Deeds => useContext(TunnelDeeds)!;

interface Opening {
  readonly uses: Uses;
  readonly ask: (dialog: DialogName, id: string) => void;
  readonly show: (id: string) => void;
}

export function useTunnelDeeds({ uses, ask, show }: Opening): Deeds {
  const say = useWords().tunnels;
  const toast = useToast();
  const renews = ["policyViews", "enforcement"] as const;
  const up = useAct("tunnels", "up", { renews });
  const down = useAct("tunnels", "down", { renews });
  const bringUp = ({ id, name }: Tunnel) =>
    up.mutate({ params: { id } }, { onError: toast.failed, onSuccess: () => toast.done(say.isOn(name)) });
  return {
    up: bringUp,
    down: (tunnel) => {
      const { id, name } = tunnel;
      if (carries(tunnel) && (uses.get(id)?.length ?? 0) > 0) return ask("down", id);
      down.mutate(
        { params: { id } },
        { onError: toast.failed, onSuccess: () => toast.done(say.isOff(name), () => bringUp(tunnel)) },
      );
    },
    busyWith: up.isPending ? up.variables.params.id : down.isPending ? down.variables.params.id : undefined,
    ask: (dialog, { id }) => ask(dialog, id),
    show: ({ id }) => show(id),
  };
}

/** On or off, and the rest in a menu. */
export function TunnelButtons({ tunnel, within }: { readonly tunnel: Tunnel; readonly within?: "details" }) {
  const { tunnels: say, kit } = useWords();
  const deeds = useDeeds();
  const busy = deeds.busyWith === tunnel.id;
  return (
    <div className="row tunnels-buttons">
      {tunnel.enabled ? (
        <Button needs={["tunnels", "down"]} busy={busy} onPress={() => deeds.down(tunnel)}>
          {say.switchOff}
        </Button>
      ) : (
        <Button needs={["tunnels", "up"]} busy={busy} onPress={() => deeds.up(tunnel)}>
          {say.switchOn}
        </Button>
      )}
      <Menu
        label={kit.actionsFor(tunnel.name)}
        items={[
          within !== "details" && { label: say.details, onPress: () => deeds.show(tunnel) },
          tunnel.enabled &&
            !carries(tunnel) && {
              label: say.tryAgain,
              icon: "refresh",
              needs: ["tunnels", "up"],
              onPress: () => deeds.up(tunnel),
            },
          { label: say.showConfig, onPress: () => deeds.ask("config", tunnel) },
          tunnel.type === "wireguard" && {
            label: say.forPhone,
            needs: ["tunnels", "generateKeys"],
            onPress: () => deeds.ask("phone", tunnel),
          },
          { label: kit.edit, icon: "edit", needs: ["tunnels", "update"], onPress: () => deeds.ask("edit", tunnel) },
          {
            label: kit.remove,
            icon: "remove",
            danger: true,
            needs: ["tunnels", "remove"],
            onPress: () => deeds.ask("remove", tunnel),
          },
        ]}
      />
    </div>
  );
}
