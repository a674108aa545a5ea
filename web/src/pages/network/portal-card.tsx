import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { PortalResult } from "../../components/privacy/portal.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

/** Whether a captive portal blocks the internet. */
export function PortalCard() {
  const t = useTranslation().privacy.portal;
  const toast = useToast();
  const check = useAction("captive", "check", { invalidates: ["audit"] });
  return (
    <Card
      title={t.title}
      actions={
        <Button
          needs={["captive", "check"]}
          busy={check.isPending}
          onPress={() => check.mutate({ body: {} }, { onError: toast.failed })}
        >
          {t.check}
        </Button>
      }
    >
      <p className="quiet fine">{t.text}</p>
      {check.data && <PortalResult check={check.data} />}
      {check.data?.state === "captive" && <p>{t.letThrough}</p>}
    </Card>
  );
}
