import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Loaded } from "../../kit/page.tsx";
import { everyRow } from "../../line/reading.ts";
import { ImportDialog } from "../../parts/tunnels/import-dialog.tsx";
import { Trial } from "../../parts/tunnels/imported.tsx";
import { useWords } from "../../words/words.tsx";

/** A tunnel comes in, is switched on, and shows that it carries. */
export function TunnelStep({ onDone }: { readonly onDone: () => void }) {
  const { start: say } = useWords();
  const [importing, setImporting] = useState(false);
  const tunnels = useQuery({ ...everyRow("tunnels", "list"), refetchInterval: 2000 });
  const count = tunnels.data?.length ?? 0;
  return (
    <>
      <Loaded query={tunnels}>
        {(all) => (
          <ul className="stack">
            {all.map((tunnel) => (
              <li key={tunnel.id} className="card">
                <h2>{tunnel.name}</h2>
                <Trial tunnel={tunnel} guided />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <div className="row">
        <Button
          kind={count === 0 ? "main" : "plain"}
          needs={["tunnels", "importWireguard"]}
          onPress={() => setImporting(true)}
        >
          {count === 0 ? say.importTunnel : say.importAnother}
        </Button>
        <Button kind={count === 0 ? "quiet" : "main"} onPress={onDone}>
          {count === 0 ? say.withoutTunnel : say.goOn}
        </Button>
      </div>
      {importing && <ImportDialog guided onClose={() => setImporting(false)} />}
    </>
  );
}
