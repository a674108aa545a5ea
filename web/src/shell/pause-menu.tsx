import type { Pause } from "@portcullis/contract/subsystems/pauses";
import { useQuery } from "@tanstack/react-query";
import { apiQuery, useAction } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";
import { Menu } from "../ui/floating.tsx";
import { useGo } from "../ui/search-param.ts";
import { useNow } from "../ui/time.tsx";
import { useToast } from "../ui/toasts.tsx";

const invalidates = ["policyViews", "dns", "status", "audit"] as const;
const untilTomorrow = "tomorrow";
const durations = [10, 60, untilTomorrow] as const;

/** Pauses DNS filtering for everyone in two presses, or shows how long it is still paused. */
export function PauseMenu() {
  const t = useTranslation().shell.pause;
  const may = useMay();
  const active = useQuery({ ...apiQuery("pauses", "active"), enabled: may(["pauses", "active"]) }).data;
  const paused = active?.find(({ type, source_type }) => type === "filtering" && source_type === "everyone");
  if (!may(["pauses", "create"])) return null;
  return paused ? <Paused pause={paused} /> : <PauseButton label={t.label} shown={t.label} />;
}

function Paused({ pause }: { readonly pause: Pause }) {
  const t = useTranslation().shell.pause;
  const [now, format] = [useNow(), useFormat()];
  const left = Math.max(0, (new Date(pause.expires_at).getTime() - now.getTime()) / 1000);
  return (
    <PauseButton label={t.paused} shown={left < 3600 ? format.countdown(left) : format.duration(left)} pause={pause} />
  );
}

interface Props {
  readonly label: string;
  readonly shown: string;
  /** The one that is active. */
  readonly pause?: Pause;
}

function PauseButton({ label, shown, pause }: Props) {
  const t = useTranslation().shell.pause;
  const { pauses } = useTranslation();
  const [toast, go] = [useToast(), useGo()];
  const create = useAction("pauses", "create", {
    invalidates,
    onDone: ({ enforced }) =>
      toast.done((enforced ? pauses.started : pauses.startedUnenforced)(pauses.types.filtering)),
  });
  const end = useAction("pauses", "remove", { invalidates, onDone: () => toast.done(pauses.resumed) });
  const start = (duration: (typeof durations)[number]) =>
    create.mutate(
      {
        body: {
          type: "filtering",
          source_type: "everyone",
          duration_min: duration === untilTomorrow ? minutesUntilTomorrow(new Date()) : duration,
        },
      },
      { onError: toast.failed },
    );
  return (
    <div className={pause ? "pause-menu paused" : "pause-menu"}>
      <Menu
        label={label}
        icon="pause"
        shown={shown}
        items={[
          pause && {
            label: pauses.resume,
            icon: "play",
            onPress: () => end.mutate({ params: { id: pause.id } }, { onError: toast.failed }),
          },
          { title: t.filtering },
          ...durations.map((it) => ({ label: t.durations[it], onPress: () => start(it) })),
          { title: t.more },
          { label: t.others, onPress: () => go("/dns?do=pause") },
        ]}
      />
    </div>
  );
}

/** At least a minute; a day has fewer than the 1,440 minutes that a pause may last, or as many. */
const minutesUntilTomorrow = (now: Date): number => {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  return Math.min(1440, Math.max(1, Math.round((midnight.getTime() - now.getTime()) / 60_000)));
};
