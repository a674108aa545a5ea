import { useQuery } from "@tanstack/react-query";
import { Button } from "../ui/button.tsx";
import { Glyph } from "../ui/state.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useLine } from "../api/live.tsx";
import { reading, useAct } from "../api/reading.ts";
import { filteringOf } from "../components/filtering.ts";
import { useFormat, useWords } from "../i18n/i18n.tsx";

/** Abnormal states that concern every device, on every page, with their action. */
export function Notices() {
  const { frame } = useWords();
  const format = useFormat();
  const { state, since } = useLine();
  if (state !== "stale") return <FilteringNotice />;
  const text = frame.lost(format.clock(since));
  return (
    <section className="strip" aria-label={text}>
      <p>
        <Glyph state="unknown" /> {text}
      </p>
    </section>
  );
}

function FilteringNotice() {
  const say = useWords().frame.filtering;
  const toast = useToast();
  const dns = useQuery({ ...reading("dns", "status"), refetchInterval: 10_000 }).data;
  const put = useAct("dnsOptions", "put", { renews: ["dns"], onDone: () => toast.done(say.resumed) });
  if (filteringOf(dns) !== "off") return null;
  return (
    <section className="strip direct" aria-label={say.off}>
      <p>
        <Glyph state="direct" /> <strong>{say.off}</strong> <span className="quiet">{say.detail}</span>
      </p>
      <Button
        needs={["dnsOptions", "put"]}
        busy={put.isPending}
        onPress={() => put.mutate({ body: { filtering_enabled: true } }, { onError: toast.failed })}
      >
        {say.resume}
      </Button>
    </section>
  );
}
