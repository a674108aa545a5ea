import type { Device } from "@portcullis/contract/subsystems/devices";
import type { Exception } from "@portcullis/contract/subsystems/exceptions";
import { useQuery } from "@tanstack/react-query";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, useAct } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { ExceptionDialog } from "./exception-dialog.tsx";
import { PortalDialog } from "./portal-dialog.tsx";
import { Remaining } from "./remaining.tsx";

/** Active exceptions with their remaining time. */
export function ExceptionsCard({ device }: { readonly device: Device }) {
  const { device: words, privacy } = useWords();
  const say = words.exceptions;
  const may = useMay();
  const all = useQuery(everyRow("exceptions", "list", { device_id: device.id }, 200));
  const [deed, setDeed] = useAddress("do");
  return (
    <>
      <LoadedCard
        title={say.title}
        query={all}
        actions={
          <Button icon="add" needs={["exceptions", "create"]} onPress={() => setDeed("exception")}>
            {say.add}
          </Button>
        }
      >
        {(exceptions) => {
          const active = exceptions.filter((it) => it.active);
          const past = exceptions.filter((it) => !it.active);
          return (
            <>
              {active.length === 0 && <p className="quiet">{say.none}</p>}
              <ul className="device-lines">
                {active.map((it) => (
                  <Active key={it.id} exception={it} />
                ))}
              </ul>
              <div>
                <Button needs={["exceptions", "create"]} onPress={() => setDeed("portal")}>
                  {privacy.portal.deed}
                </Button>
              </div>
              {past.length > 0 && (
                <details>
                  <summary className="quiet fine">{say.past(past.length)}</summary>
                  <ul className="device-lines">
                    {past.slice(0, pastMost).map((it) => (
                      <Past key={it.id} exception={it} />
                    ))}
                  </ul>
                </details>
              )}
            </>
          );
        }}
      </LoadedCard>
      {deed === "exception" && may(["exceptions", "create"]) && (
        <ExceptionDialog device={device} onClose={() => setDeed("")} />
      )}
      {deed === "portal" && <PortalDialog device={device} onClose={() => setDeed("")} />}
    </>
  );
}

const pastMost = 20;

function Active({ exception }: { readonly exception: Exception }) {
  const say = useWords().device.exceptions;
  const toast = useToast();
  const end = useAct("exceptions", "remove", {
    renews: ["policyViews", "audit"],
    onDone: () => toast.done(say.ended(say.types[exception.type])),
  });
  return (
    <li>
      <div className="grow">
        <p className="row">
          <State state={exception.allow_direct ? "direct" : "blocked"} text={say.types[exception.type]} />
          <Remaining until={exception.expires_at} />
        </p>
        <p className="quiet fine wrap">
          {[exception.reason, exception.destinations.join(", "), say.by(exception.actor)].filter(Boolean).join(" · ")}
        </p>
      </div>
      <Button
        needs={["exceptions", "remove"]}
        busy={end.isPending}
        onPress={() => end.mutate({ params: { id: exception.id } }, { onError: toast.failed })}
      >
        {say.end}
      </Button>
    </li>
  );
}

function Past({ exception }: { readonly exception: Exception }) {
  const say = useWords().device.exceptions;
  return (
    <li className="fine">
      <div className="grow">
        {say.types[exception.type]}
        <span className="quiet wrap"> · {[exception.reason, say.by(exception.actor)].filter(Boolean).join(" · ")}</span>
      </div>
      <span className="quiet">
        <Ago at={exception.ended_at ?? exception.expires_at} />
      </span>
    </li>
  );
}
