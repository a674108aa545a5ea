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
import { everyRow, useAct } from "../../api/reading.ts";
import { PortalResult } from "../../components/privacy/portal.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { Remaining } from "./remaining.tsx";

const minutes = [5, 10, 30, 60] as const;

/** Detects the portal, opens it for this device only, and shows until when. */
export function PortalDialog({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) {
  const { privacy: words, kit } = useWords();
  const say = words.portal;
  const [lasts, setLasts] = useState("10");
  const open = useAct("captive", "check", { renews: ["exceptions", "policyViews", "audit"] });
  // The mutation clears its result when it runs again; the dialog keeps it.
  const [seen, setSeen] = useState<CaptiveCheck>();
  const lookAgain = useAct("captive", "check", { renews: ["exceptions", "audit"], onDone: setSeen });
  return (
    // Requires the permission to create exceptions.
    <Dialog open onClose={onClose} title={say.dialog(device.name)} needs={["exceptions", "create"]}>
      {open.data ? (
        <>
          <PortalResult check={seen ?? open.data} />
          <Opened check={open.data} device={device} />
          {lookAgain.error && <ProblemText problem={lookAgain.error} />}
          <footer className="form-ends">
            {/* Detects only, and opens nothing: after a sign-in nothing needs to be opened. */}
            <Button busy={lookAgain.isPending} onPress={() => lookAgain.mutate({ body: {} })}>
              {say.again}
            </Button>
            <Button kind="main" onPress={onClose}>
              {kit.close}
            </Button>
          </footer>
        </>
      ) : (
        <Form
          onSubmit={() => open.mutate({ body: { open_for: device.id, duration_min: Number(lasts) } })}
          problem={open.error}
          buttons={<FormButtons onClose={onClose} busy={open.isPending} action={say.act} />}
        >
          <p>{say.says}</p>
          <p>{say.explains(device.name)}</p>
          <SelectField
            label={say.minutes}
            name="duration_min"
            value={lasts}
            onChange={setLasts}
            options={minutes.map((it) => ({ value: String(it), label: say.lasts(it) }))}
          />
        </Form>
      )}
    </Dialog>
  );
}

/** The open addresses and their expiry. Polls the gateway for the actual state. */
function Opened({ check, device }: { readonly check: CaptiveCheck; readonly device: Device }) {
  const say = useWords().privacy.portal;
  const toast = useToast();
  const held = useQuery(everyRow("exceptions", "list", { device_id: device.id }, 200)).data;
  const end = useAct("exceptions", "remove", {
    renews: ["policyViews", "audit"],
    onDone: () => toast.done(say.ended),
  });
  const id = check.exception_id;
  if (id === null) return <p className="quiet">{say.nothingOpened}</p>;
  if (held?.some((it) => it.id === id && !it.active)) return <p className="quiet">{say.endedAlready}</p>;
  return (
    <>
      {check.portal_url !== null && <p>{say.openIt}</p>}
      <div className="row spread">
        <p className="strong">
          {say.opened(device.name)} {check.expires_at !== null && <Remaining until={check.expires_at} />}
        </p>
        <Button
          needs={["exceptions", "remove"]}
          busy={end.isPending}
          onPress={() => end.mutate({ params: { id } }, { onError: toast.failed })}
        >
          {say.end}
        </Button>
      </div>
    </>
  );
}
