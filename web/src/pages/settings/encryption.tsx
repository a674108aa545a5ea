import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Loaded } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** Whether secrets are encrypted with a passphrase. */
export function Encryption() {
  const { settings: t } = useTranslation();
  const query = useQuery(apiQuery("secrets", "encryptionStatus"));
  const toast = useToast();
  const [action, setAction] = useSearchParam("do");
  const clear = useAction("secrets", "clearPassphrase", { onDone: () => toast.done(t.cleared) });
  return (
    <Loaded query={query} lines={1}>
      {({ encrypted, total_secrets: all, encrypted_count: sealed }) => (
        <div className="row spread settings-sealed">
          <State
            state={encrypted ? "protected" : "direct"}
            text={!encrypted ? t.unsealed(all) : sealed < all ? t.halfSealed(sealed, all) : t.sealed(all)}
          />
          <span className="row">
            <Button kind="quiet" needs={["secrets", "setPassphrase"]} onPress={() => setAction("passphrase")}>
              {t.setPassphrase}
            </Button>
            {encrypted && (
              <Button kind="quiet" needs={["secrets", "clearPassphrase"]} onPress={() => setAction("plain")}>
                {t.clearPassphrase}
              </Button>
            )}
          </span>
          {action === "passphrase" && <PassphraseDialog onClose={() => setAction("")} />}
          <StopDialog
            open={action === "plain"}
            onClose={() => setAction("")}
            title={t.clearTitle}
            text={t.clears(all)}
            action={t.clearIt}
            act={() => clear.mutateAsync({})}
          />
        </div>
      )}
    </Loaded>
  );
}

function PassphraseDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useTranslation().settings;
  const toast = useToast();
  const [passphrase, setPassphrase] = useState("");
  const set = useAction("secrets", "setPassphrase", {
    onDone: () => {
      toast.done(t.sealedNow);
      onClose();
    },
  });
  return (
    <FormDialog
      needs={["secrets", "setPassphrase"]}
      title={t.setTitle}
      onClose={onClose}
      onSave={() => set.mutate({ body: { passphrase } })}
      busy={set.isPending}
      problem={set.error}
      action={t.seal}
    >
      <p>{t.setText}</p>
      <TextField
        label={t.passphrase}
        hint={t.passphraseHint}
        name="passphrase"
        type="password"
        autoComplete="new-password"
        value={passphrase}
        onChange={setPassphrase}
        autoFocus
      />
    </FormDialog>
  );
}
