import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { PortalResult } from "../../components/privacy/portal.tsx";
import { useWords } from "../../i18n/i18n.tsx";

/** Whether a captive portal blocks the internet. */
export function PortalCard() {
  const say = useWords().privacy.portal;
  const toast = useToast();
  const check = useAct("captive", "check", { renews: ["audit"] });
  return (
    <Card
      title={say.title}
      actions={
        <Button
          needs={["captive", "check"]}
          busy={check.isPending}
          onPress={() => check.mutate({ body: {} }, { onError: toast.failed })}
        >
          {say.check}
        </Button>
      }
    >
      <p className="quiet fine">{say.says}</p>
      {check.data && <PortalResult check={check.data} />}
      {check.data?.state === "captive" && <p>{say.letThrough}</p>}
    </Card>
  );
}
