import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import { useQuery } from "@tanstack/react-query";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Loaded } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { isUp } from "./condition.ts";
import { TunnelState } from "./condition.tsx";
import type { Draft } from "./drafts.ts";
import { Vitals } from "./vitals.tsx";

interface ImportedProps {
  readonly made: NonNullable<Draft["made"]>;
  readonly guided?: boolean | undefined;
}

/** An imported tunnel. Switching it on shows its connection state live. */
export function ImportedBlock({ made, guided }: ImportedProps) {
  const t = useTranslation().tunnels;
  const why = useReason();
  const tunnel = useQuery({ ...apiQuery("tunnels", "get", { params: { id: made.id } }), refetchInterval: 2000 });
  return (
    <section className="tunnels-draft stack tight" aria-label={made.name}>
      <p className="strong">{t.imported(made.name)}</p>
      {made.notes.length > 0 && (
        <div className="problem stack tight">
          <p className="fine">{t.notes}</p>
          <ul className="fine">
            {made.notes.map((note) => (
              <li key={note.reason} className="wrap">
                {why.sentence(note)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Loaded query={tunnel} lines={2}>
        {(shown) => <Trial tunnel={shown} guided={guided} />}
      </Loaded>
    </section>
  );
}

/** Live until the tunnel is up, then the next step. */
export function Trial({ tunnel, guided }: { readonly tunnel: Tunnel; readonly guided?: boolean | undefined }) {
  const t = useTranslation().tunnels;
  const why = useReason();
  const toast = useToast();
  const up = useAction("tunnels", "up", { invalidates: ["policyViews"] });
  return (
    <>
      <div className="row spread">
        <div className="row" role="status">
          <TunnelState tunnel={tunnel} />
          <span className="quiet fine wrap">{isUp(tunnel) ? t.isConnected : why.sentence(tunnel)}</span>
        </div>
        {isUp(tunnel) ? (
          !guided && (
            <LinkButton kind="main" to={`/routing?do=add&through=${tunnel.id}`} needs={["routing", "create"]}>
              {t.sendThrough}
            </LinkButton>
          )
        ) : (
          <Button
            kind={tunnel.enabled ? "plain" : "main"}
            needs={["tunnels", "up"]}
            busy={up.isPending}
            onPress={() => up.mutate({ params: { id: tunnel.id } }, { onError: toast.failed })}
          >
            {tunnel.enabled ? t.tryAgain : t.switchItOn}
          </Button>
        )}
      </div>
      {tunnel.enabled && <Vitals tunnel={tunnel} />}
    </>
  );
}
