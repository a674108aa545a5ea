import { useQuery } from "@tanstack/react-query";
import { Button } from "../ui/button.tsx";
import { Glyph } from "../ui/state.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useConnection, useFallbackInterval } from "../api/live.tsx";
import { apiQuery, useAction } from "../api/queries.ts";
import { filteringOf } from "../components/filtering.ts";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";

/** Abnormal states that concern every device, on every page, with their action. */
export function Notices() {
  const { shell } = useTranslation();
  const format = useFormat();
  const { state, since } = useConnection();
  if (state !== "stale") return <FilteringNotice />;
  const text = shell.lost(format.clock(since));
  return (
    <section className="strip" aria-label={text}>
      <p>
        <Glyph state="unknown" /> {text}
      </p>
    </section>
  );
}

function FilteringNotice() {
  const t = useTranslation().shell.filtering;
  const toast = useToast();
  const dns = useQuery({ ...apiQuery("dns", "status"), refetchInterval: useFallbackInterval(10_000) }).data;
  const put = useAction("dnsOptions", "put", { invalidates: ["dns"], onDone: () => toast.done(t.resumed) });
  if (filteringOf(dns) !== "off") return null;
  return (
    <section className="strip direct" aria-label={t.off}>
      <p>
        <Glyph state="direct" /> <strong>{t.off}</strong> <span className="quiet">{t.detail}</span>
      </p>
      <Button
        needs={["dnsOptions", "put"]}
        busy={put.isPending}
        onPress={() => put.mutate({ body: { filtering_enabled: true } }, { onError: toast.failed })}
      >
        {t.resume}
      </Button>
    </section>
  );
}
