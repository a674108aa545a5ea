import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button, LinkButton } from "../ui/button.tsx";
import { Ago } from "../ui/time.tsx";
import { apiQuery } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";
import { useTranslation } from "../i18n/i18n.tsx";

const seen = "portcullis.revert-seen";

/**
 * A change that was reverted may have locked out the browser that made it, so that no event reached it. The audit log
 * is read whenever the connection is restored, and each browser shows the revert once.
 */
export function RevertNotice() {
  const { shell, ui } = useTranslation();
  const may = useMay();
  const [read, setRead] = useState(() => Number(localStorage.getItem(seen) ?? 0));
  const found = useQuery({
    ...apiQuery("audit", "list", { query: { action: "revert_change", limit: 1 } }),
    enabled: may(["audit", "list"]),
  });
  const last = found.data?.items[0];
  if (!last || last.id <= read || last.actor !== "system") return null;
  const dismiss = () => {
    localStorage.setItem(seen, String(last.id));
    setRead(last.id);
  };
  return (
    <section className="problem row" role="status" aria-label={shell.revertedTitle}>
      <span className="grow">
        {shell.reverted(shell.unconfirmed)} · <Ago at={last.timestamp} />
      </span>
      <LinkButton kind="quiet" to="/changes">
        {shell.pending.look}
      </LinkButton>
      <Button kind="quiet" onPress={dismiss}>
        {ui.dismiss}
      </Button>
    </section>
  );
}
