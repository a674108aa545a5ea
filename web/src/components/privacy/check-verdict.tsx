import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { type CheckSummary, shownVerdict, stateOfVerdict } from "./verdicts.ts";

/** The verdict of a check with its time and trigger. */
export function CheckVerdict({ check, summary }: { readonly check: LeakCheck; readonly summary: CheckSummary }) {
  const t = useTranslation().privacy;
  const { verdict, discarded, devices, unchecked, finished_at, cause } = check;
  const shown = shownVerdict(check);
  const { direct } = summary;
  return (
    <div role="status">
      <p>
        <State state={stateOfVerdict[shown]} text={t.verdicts[shown]} />
      </p>
      <p>
        {discarded
          ? t.check.discarded
          : shown === "unchecked"
            ? t.check.noDevices
            : t.check.sentences[verdict](devices.length)}{" "}
        {!discarded && direct > 0 && t.check.direct(direct)}{" "}
        {!discarded && unchecked > 0 && t.check.unchecked(unchecked)}
      </p>
      <p className="quiet fine">
        <Ago at={finished_at} />, {t.check.because[cause]}
      </p>
    </div>
  );
}
