import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { allRows, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { obstacleIn, subscribe, thisBrowser } from "./browser-subscription.ts";

/** Subscribes this browser to alerts: a new channel, or the one with this name again. */
export function SubscribeButton() {
  const t = useTranslation().alerts.push;
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button needs={["webPush", "key"]} onPress={() => setOpen(true)}>
        {t.subscribe}
      </Button>
      {open && <SubscribeDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function SubscribeDialog({ onClose }: { readonly onClose: () => void }) {
  const { alerts } = useTranslation();
  const t = alerts.push;
  const toast = useToast();
  const [name, setName] = useState("");
  const [failure, setFailure] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const channels = useQuery(allRows("alertChannels", "list")).data ?? [];
  const key = useAction("webPush", "key", {});
  const create = useAction("alertChannels", "create", { invalidates: ["status"] });
  const update = useAction("alertChannels", "update", { invalidates: ["status"] });
  const obstacle = obstacleIn(thisBrowser());

  async function save(): Promise<void> {
    const { public_key } = await key.mutateAsync(undefined);
    const subscription = await subscribe(public_key);
    if (subscription === "denied") throw new Error(t.obstacles.denied);
    const existing = channels.find((it) => it.type === "web_push" && it.name === name.trim());
    if (existing) await update.mutateAsync({ params: { id: existing.id }, body: { subscription, enabled: true } });
    else await create.mutateAsync({ body: { name: name.trim(), type: "web_push", subscription } });
  }
  const onSave = () => {
    if (obstacle !== undefined) return;
    setBusy(true);
    setFailure(null);
    save()
      .then(() => {
        toast.done(t.subscribed(name));
        onClose();
      })
      .catch((error: unknown) => setFailure(error as Error))
      .finally(() => setBusy(false));
  };
  return (
    <FormDialog
      title={t.subscribe}
      needs={["webPush", "key"]}
      onClose={onClose}
      onSave={onSave}
      busy={busy}
      problem={obstacle === undefined ? failure : new Error(t.obstacles[obstacle])}
      action={t.subscribe}
    >
      <p className="quiet">{t.about}</p>
      <TextField label={alerts.channels.name} name="name" value={name} onChange={setName} hint={t.nameHint} />
    </FormDialog>
  );
}
