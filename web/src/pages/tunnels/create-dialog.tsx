import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { ImportedBlock } from "../../components/tunnels/imported.tsx";
import { itemsIn } from "./phone-config.ts";

const empty = {
  name: "",
  privateKey: "",
  publicKey: "",
  addresses: "",
  dns: "",
  peerKey: "",
  presharedKey: "",
  endpoint: "",
  allowedIps: "0.0.0.0/0, ::/0",
  keepalive: "25",
};
type Fields = typeof empty;

/** Creates a WireGuard tunnel without a file. */
export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const { tunnels: t, ui } = useTranslation();
  const [fields, setFields] = useState(empty);
  const create = useAction("tunnels", "create");
  const made = create.data;
  const submit = () => create.mutate({ body: bodyOf(fields) });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.makeOne}
      footer={
        made ? (
          <Button kind="main" onPress={onClose}>
            {t.finish}
          </Button>
        ) : (
          <>
            <Button onPress={onClose}>{ui.cancel}</Button>
            <Button kind="main" busy={create.isPending} onPress={submit}>
              {t.make}
            </Button>
          </>
        )
      }
    >
      {made ? (
        <>
          <ImportedBlock made={{ id: made.id, name: made.name, notes: [] }} />
          {"public_key" in made.config && (
            <>
              <p>{t.giveKey}</p>
              <CodeBlock label={t.publicKey} text={made.config.public_key} />
            </>
          )}
        </>
      ) : (
        <Form onSubmit={submit} problem={create.error}>
          <CreateFields fields={fields} onChange={(changed) => setFields((all) => ({ ...all, ...changed }))} />
          {/* Enter submits the form, although the button is outside of it. */}
          <input type="submit" hidden />
        </Form>
      )}
    </Dialog>
  );
}

interface FieldsProps {
  readonly fields: Fields;
  readonly onChange: (changed: Partial<Fields>) => void;
}

function CreateFields({ fields, onChange }: FieldsProps) {
  const t = useTranslation().tunnels;
  const bind = (key: keyof Fields) => ({ value: fields[key], onChange: (typed: string) => onChange({ [key]: typed }) });
  return (
    <>
      <TextField label={t.name} name="name" autoFocus {...bind("name")} />
      <h2>{t.ownSide}</h2>
      <OwnKeys fields={fields} onChange={onChange} />
      <div className="tunnels-two">
        <TextField
          label={t.addresses}
          name="config.addresses"
          placeholder="10.7.0.2/32"
          hint={t.addressesHint}
          {...bind("addresses")}
        />
        <TextField label={t.dns} name="config.dns" optional placeholder="10.7.0.1" {...bind("dns")} />
      </div>
      <h2>{t.otherSide}</h2>
      <TextField label={t.peerKey} name="config.peers.0.public_key" {...bind("peerKey")} />
      <TextField
        label={t.endpoint}
        name="config.peers.0.endpoint"
        placeholder="vpn.example.net:51820"
        hint={t.endpointHint}
        {...bind("endpoint")}
      />
      <TextField label={t.allowedIps} name="config.peers.0.allowed_ips" hint={t.allowedHint} {...bind("allowedIps")} />
      <div className="tunnels-two">
        <TextField
          label={t.presharedKey}
          name="config.peers.0.preshared_key"
          optional
          type="password"
          autoComplete="new-password"
          {...bind("presharedKey")}
        />
        <TextField
          label={t.keepaliveSeconds}
          name="config.peers.0.persistent_keepalive"
          type="number"
          min={0}
          max={65_535}
          {...bind("keepalive")}
        />
      </div>
    </>
  );
}

function OwnKeys({ fields, onChange }: FieldsProps) {
  const t = useTranslation().tunnels;
  const toast = useToast();
  const generate = useAction("tunnels", "generateKeys");
  const press = () =>
    generate.mutate(
      {},
      {
        onError: toast.failed,
        onSuccess: ({ private_key, public_key }) => onChange({ privateKey: private_key, publicKey: public_key }),
      },
    );
  return (
    <div className="stack tight">
      <TextField
        label={t.privateKey}
        name="config.private_key"
        type="password"
        autoComplete="new-password"
        optional
        hint={t.privateHint}
        value={fields.privateKey}
        onChange={(privateKey) => onChange({ privateKey, publicKey: "" })}
      />
      <div>
        <Button needs={["tunnels", "generateKeys"]} busy={generate.isPending} onPress={press}>
          {t.generate}
        </Button>
      </div>
      {fields.publicKey && (
        <>
          <p className="fine">{t.giveKey}</p>
          <CodeBlock label={t.publicKey} text={fields.publicKey} />
        </>
      )}
    </div>
  );
}

function bodyOf({ name, privateKey, addresses, dns, peerKey, presharedKey, endpoint, allowedIps, keepalive }: Fields) {
  const peer = {
    public_key: peerKey.trim(),
    allowed_ips: itemsIn(allowedIps),
    persistent_keepalive: Number(keepalive) || 0,
    ...(endpoint.trim() !== "" && { endpoint: endpoint.trim() }),
    ...(presharedKey.trim() !== "" && { preshared_key: presharedKey.trim() }),
  };
  return {
    name: name.trim(),
    type: "wireguard" as const,
    enabled: false,
    config: {
      addresses: itemsIn(addresses),
      dns: itemsIn(dns),
      peers: [peer],
      ...(privateKey.trim() !== "" && { private_key: privateKey.trim() }),
    },
  };
}
