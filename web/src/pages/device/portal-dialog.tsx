import type { CaptiveCheck } from "@portcullis/contract/subsystems/captive";
import type { Device } from "@portcullis/contract/subsystems/devices";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Form, SelectField } from "../../ui/form.tsx";
import { FormButtons } from "../../ui/form-dialog.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { PortalResult } from "../../components/privacy/portal.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { Remaining } from "../../components/remaining.tsx";

const minutes = [5, 10, 30, 60] as const;

/** Detects the portal, opens it for this device only, and shows until when. */
export function PortalDialog({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) {
  const { privacy: messages, ui } = useTranslation();
  const t = messages.portal;
  const [lasts, setLasts] = useState("10");
  const open = useAction("captive", "check", { invalidates: ["exceptions", "policyViews", "audit"] });
  // The mutation clears its result when it runs again; the dialog keeps it.
  const [seen, setSeen] = useState<CaptiveCheck>();
  const lookAgain = useAction("captive", "check", { invalidates: ["exceptions", "audit"], onDone: setSeen });
  return (
    // Requires the permission to create exceptions.
    <Dialog open onClose={onClose} title={t.dialog(device.name)} needs={["exceptions", "create"]}>
      {open.data ? (
        <>
          <PortalResult check={seen ?? open.data} />
          <Opened check={open.data} device={device} />
          {lookAgain.error && <ProblemText problem={lookAgain.error} />}
          <footer className="form-ends">
            {/* Detects only, and opens nothing: after a sign-in nothing needs to be opened. */}
            <Button busy={lookAgain.isPending} onPress={() => lookAgain.mutate({ body: {} })}>
              {t.again}
            </Button>
            <Button kind="main" onPress={onClose}>
              {ui.close}
            </Button>
          </footer>
        </>
      ) : (
        <Form
          onSubmit={() => open.mutate({ body: { open_for: device.id, duration_min: Number(lasts) } })}
          problem={open.error}
          buttons={<FormButtons onClose={onClose} busy={open.isPending} action={t.act} />}
        >
          <p>{t.text}</p>
          <p>{t.explains(device.name)}</p>
          <SelectField
            label={t.minutes}
            name="duration_min"
            value={lasts}
            onChange={setLasts}
            options={minutes.map((it) => ({ value: String(it), label: t.lasts(it) }))}
          />
        </Form>
      )}
    </Dialog>
  );
}

/** The open addresses and their expiry. Polls the gateway for the actual state. */
function Opened({ check, device }: { readonly check: CaptiveCheck; readonly device: Device }) {
  const t = useTranslation().privacy.portal;
  const toast = useToast();
  const held = useQuery(allRows("exceptions", "list", { device_id: device.id }, 200)).data;
  const end = useAction("exceptions", "remove", {
    invalidates: ["policyViews", "audit"],
    onDone: () => toast.done(t.ended),
  });
  const id = check.exception_id;
  if (id === null) return <p className="quiet">{t.nothingOpened}</p>;
  if (held?.some((it) => it.id === id && !it.active)) return <p className="quiet">{t.endedAlready}</p>;
  return (
    <>
      {check.portal_url !== null && <p>{t.openIt}</p>}
      <div className="row spread">
        <p className="strong">
          {t.opened(device.name)} {check.expires_at !== null && <Remaining until={check.expires_at} />}
        </p>
        <Button
          needs={["exceptions", "remove"]}
          busy={end.isPending}
          onPress={() => end.mutate({ params: { id } }, { onError: toast.failed })}
        >
          {t.end}
        </Button>
      </div>
    </>
  );
}
