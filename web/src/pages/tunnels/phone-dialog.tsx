import type { Tunnel, WireguardConfig } from "@portcullis/contract/subsystems/tunnels";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { TextField } from "../../ui/form.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { QrCode } from "../../ui/qr.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { looksLikeAddresses, phoneConfig } from "./phone-config.ts";

interface PhoneProps {
  readonly tunnel: Tunnel;
  readonly onClose: () => void;
}

/**
 * Two machines with one key would disconnect each other at the server, and the gateway never reveals its key: the phone
 * becomes a separate client.
 */
export function PhoneDialog({ tunnel, onClose }: PhoneProps) {
  const { tunnels: t, ui } = useTranslation();
  const [address, setSearchParam] = useState("");
  const generate = useAction("tunnels", "generateKeys");
  const keys = generate.data;
  const { peers, dns } = tunnel.config as WireguardConfig;
  const text = keys && phoneConfig({ privateKey: keys.private_key, address, dns, peers });
  const wantsPreshared = peers.some(({ has_preshared_key }) => has_preshared_key);
  return (
    <Dialog open onClose={onClose} wide title={t.phoneTitle(tunnel.name)}>
      <p>{t.phoneWhy}</p>
      {generate.error && <ProblemText problem={generate.error} />}
      {!keys ? (
        <div>
          <Button
            kind="main"
            needs={["tunnels", "generateKeys"]}
            busy={generate.isPending}
            onPress={() => generate.mutate({})}
          >
            {t.phoneGenerate}
          </Button>
        </div>
      ) : (
        <>
          <h2>{t.phoneServer}</h2>
          <p>{t.phoneAdd}</p>
          <CodeBlock label={t.publicKey} text={keys.public_key} />
          {wantsPreshared && <p className="problem">{t.phonePreshared}</p>}
          <h2>{t.phonePhone}</h2>
          <TextField
            label={t.phoneAddress}
            hint={t.phoneAddressHint}
            placeholder="10.7.0.3/32"
            value={address}
            onChange={setSearchParam}
          />
          {looksLikeAddresses(address) && (
            <div className="tunnels-phone">
              <QrCode label={ui.qr} text={text!} />
              <CodeBlock label={t.phoneText} text={text!} />
            </div>
          )}
          <p className="quiet fine">{t.phoneNotKept}</p>
        </>
      )}
    </Dialog>
  );
}
