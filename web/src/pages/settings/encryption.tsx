import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Loaded } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { reading, useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";

/** Whether secrets are encrypted with a passphrase. */
export function Encryption() {
  const { settings: say } = useWords();
  const query = useQuery(reading("secrets", "encryptionStatus"));
  const toast = useToast();
  const [deed, setDeed] = useAddress("do");
  const clear = useAct("secrets", "clearPassphrase", { onDone: () => toast.done(say.cleared) });
  return (
    <Loaded query={query} lines={1}>
      {({ encrypted, total_secrets: all, encrypted_count: sealed }) => (
        <div className="row spread settings-sealed">
          <State
            state={encrypted ? "protected" : "direct"}
            text={!encrypted ? say.unsealed(all) : sealed < all ? say.halfSealed(sealed, all) : say.sealed(all)}
          />
          <span className="row">
            <Button kind="quiet" needs={["secrets", "setPassphrase"]} onPress={() => setDeed("passphrase")}>
              {say.setPassphrase}
            </Button>
            {encrypted && (
              <Button kind="quiet" needs={["secrets", "clearPassphrase"]} onPress={() => setDeed("plain")}>
                {say.clearPassphrase}
              </Button>
            )}
          </span>
          {deed === "passphrase" && <PassphraseDialog onClose={() => setDeed("")} />}
          <StopDialog
            open={deed === "plain"}
            onClose={() => setDeed("")}
            title={say.clearTitle}
            says={say.clears(all)}
            action={say.clearIt}
            act={() => clear.mutateAsync({})}
          />
        </div>
      )}
    </Loaded>
  );
}

function PassphraseDialog({ onClose }: { readonly onClose: () => void }) {
  const say = useWords().settings;
  const toast = useToast();
  const [passphrase, setPassphrase] = useState("");
  const set = useAct("secrets", "setPassphrase", {
    onDone: () => {
      toast.done(say.sealedNow);
      onClose();
    },
  });
  return (
    <FormDialog
      needs={["secrets", "setPassphrase"]}
      title={say.setTitle}
      onClose={onClose}
      onSave={() => set.mutate({ body: { passphrase } })}
      busy={set.isPending}
      problem={set.error}
      action={say.seal}
    >
      <p>{say.setSays}</p>
      <TextField
        label={say.passphrase}
        hint={say.passphraseHint}
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
