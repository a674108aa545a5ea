import type { Device } from "@portcullis/contract/subsystems/devices";
import type { Exception } from "@portcullis/contract/subsystems/exceptions";
import { useQuery } from "@tanstack/react-query";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { ExceptionDialog } from "./exception-dialog.tsx";
import { PortalDialog } from "./portal-dialog.tsx";
import { Remaining } from "../../components/remaining.tsx";

/** Active exceptions with their remaining time. */
export function ExceptionsCard({ device }: { readonly device: Device }) {
  const { device: messages, privacy } = useTranslation();
  const t = messages.exceptions;
  const may = useMay();
  const all = useQuery(allRows("exceptions", "list", { device_id: device.id }, 200));
  const [action, setAction] = useSearchParam("do");
  return (
    <>
      <LoadedCard
        title={t.title}
        query={all}
        actions={
          <Button icon="add" needs={["exceptions", "create"]} onPress={() => setAction("exception")}>
            {t.add}
          </Button>
        }
      >
        {(exceptions) => {
          const active = exceptions.filter((it) => it.active);
          const past = exceptions.filter((it) => !it.active);
          return (
            <>
              {active.length === 0 && <p className="quiet">{t.none}</p>}
              <ul className="device-lines">
                {active.map((it) => (
                  <Active key={it.id} exception={it} />
                ))}
              </ul>
              <div>
                <Button needs={["exceptions", "create"]} onPress={() => setAction("portal")}>
                  {privacy.portal.action}
                </Button>
              </div>
              {past.length > 0 && (
                <details>
                  <summary className="quiet fine">{t.past(past.length)}</summary>
                  <ul className="device-lines">
                    {past.slice(0, maxPast).map((it) => (
                      <Past key={it.id} exception={it} />
                    ))}
                  </ul>
                </details>
              )}
            </>
          );
        }}
      </LoadedCard>
      {action === "exception" && may(["exceptions", "create"]) && (
        <ExceptionDialog device={device} onClose={() => setAction("")} />
      )}
      {action === "portal" && <PortalDialog device={device} onClose={() => setAction("")} />}
    </>
  );
}

const maxPast = 20;

function Active({ exception }: { readonly exception: Exception }) {
  const t = useTranslation().device.exceptions;
  const toast = useToast();
  const end = useAction("exceptions", "remove", {
    invalidates: ["policyViews", "audit"],
    onDone: () => toast.done(t.ended(t.types[exception.type])),
  });
  return (
    <li>
      <div className="grow">
        <p className="row">
          <State state={exception.allow_direct ? "direct" : "blocked"} text={t.types[exception.type]} />
          <Remaining until={exception.expires_at} />
        </p>
        <p className="quiet fine wrap">
          {[exception.reason, exception.destinations.join(", "), t.by(exception.actor)].filter(Boolean).join(" · ")}
        </p>
      </div>
      <Button
        needs={["exceptions", "remove"]}
        busy={end.isPending}
        onPress={() => end.mutate({ params: { id: exception.id } }, { onError: toast.failed })}
      >
        {t.end}
      </Button>
    </li>
  );
}

function Past({ exception }: { readonly exception: Exception }) {
  const t = useTranslation().device.exceptions;
  return (
    <li className="fine">
      <div className="grow">
        {t.types[exception.type]}
        <span className="quiet wrap"> · {[exception.reason, t.by(exception.actor)].filter(Boolean).join(" · ")}</span>
      </div>
      <span className="quiet">
        <Ago at={exception.ended_at ?? exception.expires_at} />
      </span>
    </li>
  );
}
