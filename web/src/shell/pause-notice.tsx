import { useQuery } from "@tanstack/react-query";
import { useFallbackInterval } from "../api/live.tsx";
import { apiQuery } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";
import { PauseText, ResumeButton, usePauseText } from "../components/pauses/pause-line.tsx";
import { useTranslation } from "../i18n/i18n.tsx";
import { LinkButton } from "../ui/button.tsx";
import { Glyph } from "../ui/state.tsx";

const maxShown = 3;

/** What is paused is on every page, until it ends. Those for everyone come first. */
export function PauseNotice() {
  const t = useTranslation().pauses;
  const may = useMay();
  const text = usePauseText();
  const { data: active = [] } = useQuery({
    ...apiQuery("pauses", "active"),
    enabled: may(["pauses", "active"]),
    refetchInterval: useFallbackInterval(10_000),
  });
  const reach = (source: string) => ["everyone", "device_group", "device"].indexOf(source);
  const paused = active.toSorted((a, b) => reach(a.source_type) - reach(b.source_type));
  const hidden = paused.length - maxShown;
  return (
    <>
      {paused.slice(0, maxShown).map((it) => (
        <section key={it.id} className="strip direct" aria-label={text(it)}>
          <p>
            <Glyph state={it.type === "block-domain" ? "blocked" : "direct"} /> <PauseText pause={it} />
          </p>
          <ResumeButton pause={it} />
        </section>
      ))}
      {hidden > 0 && (
        <section className="strip direct" aria-label={t.more(hidden)}>
          <p>{t.more(hidden)}</p>
          <LinkButton kind="quiet" to="/dns">
            {t.look}
          </LinkButton>
        </section>
      )}
    </>
  );
}
