import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Loaded } from "../../ui/page.tsx";
import { allRows } from "../../api/queries.ts";
import { ImportDialog } from "../../components/tunnels/import-dialog.tsx";
import { Trial } from "../../components/tunnels/imported.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

/** Imports a tunnel, switches it on, and shows its state. */
export function TunnelStep({ onDone }: { readonly onDone: () => void }) {
  const { start: t } = useTranslation();
  const [importing, setImporting] = useState(false);
  const tunnels = useQuery({ ...allRows("tunnels", "list"), refetchInterval: 2000 });
  return (
    <Loaded query={tunnels}>
      {(all) => (
        // The buttons are rendered with the list: one that moves while it is pressed is missed.
        <>
          <ul className="stack">
            {all.map((tunnel) => (
              <li key={tunnel.id} className="card">
                <h2>{tunnel.name}</h2>
                <Trial tunnel={tunnel} guided />
              </li>
            ))}
          </ul>
          <div className="row">
            <Button
              kind={all.length === 0 ? "main" : "plain"}
              needs={["tunnels", "importWireguard"]}
              onPress={() => setImporting(true)}
            >
              {all.length === 0 ? t.importTunnel : t.importAnother}
            </Button>
            <Button kind={all.length === 0 ? "quiet" : "main"} onPress={onDone}>
              {all.length === 0 ? t.withoutTunnel : t.next}
            </Button>
          </div>
          {importing && <ImportDialog guided onClose={() => setImporting(false)} />}
        </>
      )}
    </Loaded>
  );
}
