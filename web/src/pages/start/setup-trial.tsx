import type { SetupState } from "@portcullis/contract/subsystems/setup";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { useNow } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useConfirmEnforcement } from "../../components/confirm-enforcement.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

/** The rules are in force until the deadline. Confirming them needs a connection that they accept. */
export function SetupTrial({ setup, deadline }: { readonly setup: SetupState; readonly deadline: string }) {
  const { setup: t, shell } = useTranslation();
  const toast = useToast();
  const [now, format] = [useNow(), useFormat()];
  const left = Math.max(0, (new Date(deadline).getTime() - now.getTime()) / 1000);
  const confirm = useConfirmEnforcement(() => toast.done(shell.enforcement.confirmed));
  const revert = useAction("firstEnforcement", "revert", { invalidates: ["setup", "enforcement", "status"] });
  return (
    <Card title={t.trial}>
      <p className="number" role="timer" aria-label={t.timeLeft}>
        {format.countdown(left)}
      </p>
      <p>{t.trialText(setup.settings.wan, setup.settings.lan)}</p>
      <p className="quiet">{t.trialEnds}</p>
      <NextAddress address={setup.web_address} />
      {confirm.error && <ProblemText problem={confirm.error} />}
      <div className="row">
        <Button
          kind="main"
          needs={["firstEnforcement", "confirm"]}
          busy={confirm.isPending}
          onPress={() => confirm.mutate({})}
        >
          {t.confirm}
        </Button>
        {setup.can_cancel ? (
          <UndoSetup />
        ) : (
          <Button
            needs={["firstEnforcement", "revert"]}
            busy={revert.isPending}
            onPress={() => revert.mutate({}, { onError: toast.failed })}
          >
            {shell.enforcement.revert}
          </Button>
        )}
      </div>
    </Card>
  );
}

/** Restores the machine as it was before the setup. */
export function UndoSetup() {
  const { setup: t } = useTranslation();
  const toast = useToast();
  const cancel = useAction("setup", "cancel", {
    invalidates: ["firstEnforcement", "enforcement", "dhcp", "interfaces", "status"],
    onDone: () => toast.done(t.undone),
  });
  return (
    <div>
      <Button
        needs={["setup", "cancel"]}
        busy={cancel.isPending}
        onPress={() => cancel.mutate({}, { onError: toast.failed })}
      >
        {t.undo}
      </Button>
    </div>
  );
}

/** Where the web interface is reached from the LAN, if that is not the address of this page. */
export function NextAddress({ address }: { readonly address: string | null }) {
  const { setup: t } = useTranslation();
  if (address === null) return <p className="quiet">{t.confirmOnConsole}</p>;
  if (new URL(address).origin === window.location.origin) return null;
  return (
    <p className="quiet wrap">
      {t.continueAt} <a href={`${new URL(address).origin}/start`}>{address}</a>
    </p>
  );
}
