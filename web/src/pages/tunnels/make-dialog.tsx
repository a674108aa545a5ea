import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";
import { ImportedBlock } from "../../components/tunnels/imported.tsx";
import { wordsIn } from "./phone-config.ts";

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
export function MakeDialog({ onClose }: { readonly onClose: () => void }) {
  const { tunnels: say, kit } = useWords();
  const [fields, setFields] = useState(empty);
  const create = useAct("tunnels", "create");
  const made = create.data;
  const submit = () => create.mutate({ body: bodyOf(fields) });
  return (
    <Dialog
      open
      onClose={onClose}
      title={say.makeOne}
      footer={
        made ? (
          <Button kind="main" onPress={onClose}>
            {say.finish}
          </Button>
        ) : (
          <>
            <Button onPress={onClose}>{kit.cancel}</Button>
            <Button kind="main" busy={create.isPending} onPress={submit}>
              {say.make}
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
              <p>{say.giveKey}</p>
              <CodeBlock label={say.publicKey} text={made.config.public_key} />
            </>
          )}
        </>
      ) : (
        <Form onSubmit={submit} problem={create.error}>
          <MakeFields fields={fields} onChange={(changed) => setFields((all) => ({ ...all, ...changed }))} />
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

function MakeFields({ fields, onChange }: FieldsProps) {
  const say = useWords().tunnels;
  const bind = (key: keyof Fields) => ({ value: fields[key], onChange: (typed: string) => onChange({ [key]: typed }) });
  return (
    <>
      <TextField label={say.name} name="name" autoFocus {...bind("name")} />
      <h2>{say.ownSide}</h2>
      <OwnKeys fields={fields} onChange={onChange} />
      <div className="tunnels-two">
        <TextField
          label={say.addresses}
          name="config.addresses"
          placeholder="10.7.0.2/32"
          hint={say.addressesHint}
          {...bind("addresses")}
        />
        <TextField label={say.dns} name="config.dns" optional placeholder="10.7.0.1" {...bind("dns")} />
      </div>
      <h2>{say.otherSide}</h2>
      <TextField label={say.peerKey} name="config.peers.0.public_key" {...bind("peerKey")} />
      <TextField
        label={say.endpoint}
        name="config.peers.0.endpoint"
        placeholder="vpn.example.net:51820"
        hint={say.endpointHint}
        {...bind("endpoint")}
      />
      <TextField
        label={say.allowedIps}
        name="config.peers.0.allowed_ips"
        hint={say.allowedHint}
        {...bind("allowedIps")}
      />
      <div className="tunnels-two">
        <TextField
          label={say.presharedKey}
          name="config.peers.0.preshared_key"
          optional
          type="password"
          autoComplete="new-password"
          {...bind("presharedKey")}
        />
        <TextField
          label={say.keepaliveSeconds}
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
  const say = useWords().tunnels;
  const toast = useToast();
  const generate = useAct("tunnels", "generateKeys");
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
        label={say.privateKey}
        name="config.private_key"
        type="password"
        autoComplete="new-password"
        optional
        hint={say.privateHint}
        value={fields.privateKey}
        onChange={(privateKey) => onChange({ privateKey, publicKey: "" })}
      />
      <div>
        <Button needs={["tunnels", "generateKeys"]} busy={generate.isPending} onPress={press}>
          {say.generate}
        </Button>
      </div>
      {fields.publicKey && (
        <>
          <p className="fine">{say.giveKey}</p>
          <CodeBlock label={say.publicKey} text={fields.publicKey} />
        </>
      )}
    </div>
  );
}

function bodyOf({ name, privateKey, addresses, dns, peerKey, presharedKey, endpoint, allowedIps, keepalive }: Fields) {
  const peer = {
    public_key: peerKey.trim(),
    allowed_ips: wordsIn(allowedIps),
    persistent_keepalive: Number(keepalive) || 0,
    ...(endpoint.trim() !== "" && { endpoint: endpoint.trim() }),
    ...(presharedKey.trim() !== "" && { preshared_key: presharedKey.trim() }),
  };
  return {
    name: name.trim(),
    type: "wireguard" as const,
    enabled: false,
    config: {
      addresses: wordsIn(addresses),
      dns: wordsIn(dns),
      peers: [peer],
      ...(privateKey.trim() !== "" && { private_key: privateKey.trim() }),
    },
  };
}
