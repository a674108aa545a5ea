import type { EventPayload } from "@portcullis/contract/events";
import { useState } from "react";
import { Button, LinkButton } from "../ui/button.tsx";
import { Glyph } from "../ui/state.tsx";
import { useEvents } from "../api/live.tsx";
import { useTranslation } from "../i18n/i18n.tsx";
import { reasonIn, useReason } from "../i18n/reason.ts";

type Leak = EventPayload<"leak.detected">;
const keyOf = ({ device_id, name }: Pick<Leak, "device_id" | "name">): string => device_id ?? name;

/** A leak is reported on every page until it is dismissed or cleared. */
export function LeakNotice() {
  const { shell, ui } = useTranslation();
  const why = useReason();
  const [leaks, setLeaks] = useState<readonly Leak[]>([]);
  const without = (gone: Pick<Leak, "device_id" | "name">) => (all: readonly Leak[]) =>
    all.filter((it) => keyOf(it) !== keyOf(gone));
  useEvents(({ event, data }) => {
    const leak = data as Leak;
    if (event === "leak.detected") setLeaks((all) => [...without(leak)(all), leak].slice(-maxShown));
    if (event === "leak.cleared") setLeaks(without(leak));
  });
  return leaks.map((leak) => (
    <section key={keyOf(leak)} className="problem bad row" role="alert" aria-label={shell.leak.title}>
      <Glyph state="leaking" />
      <span className="grow wrap">{shell.leak.text(leak.name, why.line(reasonIn("message", leak)))}</span>
      <LinkButton kind="quiet" to={leak.device_id === null ? "/privacy" : `/devices/${leak.device_id}`}>
        {shell.leak.look}
      </LinkButton>
      <Button kind="quiet" onPress={() => setLeaks(without(leak))}>
        {ui.dismiss}
      </Button>
    </section>
  ));
}

const maxShown = 3;
