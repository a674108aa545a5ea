import type { EventPayload } from "@portcullis/contract/events";
import { useState } from "react";
import { Button, LinkButton } from "../ui/button.tsx";
import { Glyph } from "../ui/state.tsx";
import { useEvents } from "../api/live.tsx";
import { useWords } from "../i18n/i18n.tsx";

type Leak = EventPayload<"leak.detected">;
const keyOf = ({ device_id, name }: Pick<Leak, "device_id" | "name">): string => device_id ?? name;

/** A leak is reported on every page until it is dismissed or cleared. */
export function LeakNotice() {
  const { frame, kit } = useWords();
  const [leaks, setLeaks] = useState<readonly Leak[]>([]);
  const without = (gone: Pick<Leak, "device_id" | "name">) => (all: readonly Leak[]) =>
    all.filter((it) => keyOf(it) !== keyOf(gone));
  useEvents(({ event, data }) => {
    const told = data as Leak;
    if (event === "leak.detected") setLeaks((all) => [...without(told)(all), told].slice(-shownMost));
    if (event === "leak.cleared") setLeaks(without(told));
  });
  return leaks.map((leak) => (
    <section key={keyOf(leak)} className="problem bad row" role="alert" aria-label={frame.leak.title}>
      <Glyph state="leaking" />
      <span className="grow wrap">{frame.leak.says(leak.name, leak.message)}</span>
      <LinkButton kind="quiet" to={leak.device_id === null ? "/privacy" : `/devices/${leak.device_id}`}>
        {frame.leak.look}
      </LinkButton>
      <Button kind="quiet" onPress={() => setLeaks(without(leak))}>
        {kit.dismiss}
      </Button>
    </section>
  ));
}

const shownMost = 3;
