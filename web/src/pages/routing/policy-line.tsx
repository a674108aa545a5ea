import { memo } from "react";
import { useGo } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Icon } from "../../ui/icon.tsx";
import { RowSwitch } from "../../ui/row-switch.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { readable } from "../../components/names.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { type ReasonTexts, useReason } from "../../i18n/reason.ts";
import type { Clash, PolicyRow } from "./rows.ts";

interface LineProps {
  readonly row: PolicyRow;
  readonly sentence: string;
  readonly index: number;
  readonly count: number;
  readonly nameOf: (word: string) => string;
  readonly onOpen: (id: string) => void;
  readonly onMove: (id: string, to: number) => void;
  readonly onRemove: (id: string) => void;
}

/** A policy in the list: its sentence, its current state, and its actions. */
export const PolicyLine = memo(function PolicyLine({
  row,
  sentence,
  index,
  count,
  nameOf,
  onOpen,
  onMove,
  onRemove,
}: LineProps) {
  const { routing: t, ui } = useTranslation();
  const why = useReason();
  const may = useMay();
  const go = useGo();
  const { policy, clashes, staged } = row;
  const moveTo = (to: number) => onMove(policy.id, to);
  return (
    <div className="routing-line">
      <span className="routing-place quiet fine" title={t.index(index + 1, policy.priority)}>
        {index + 1}
      </span>
      <div className="routing-what">
        {may(["routing", "update"]) ? (
          <button
            type="button"
            className="routing-sentence"
            aria-label={`${sentence}. ${t.open(policy.name)}`}
            onClick={() => onOpen(policy.id)}
          >
            {sentence}
          </button>
        ) : (
          <p className="routing-sentence">{sentence}</p>
        )}
        <div className="routing-facts fine">
          <Doing row={row} nameOf={nameOf} />
          {policy.profile_id !== null && row.through.length > 0 && (
            <span className="wrap">{row.through.map(nameOf).join(policy.splitting ? " + " : " → ")}</span>
          )}
          <ScheduleNow policy={policy} />
          <span className="quiet wrap">{policy.name}</span>
          {staged && <span className="tag routing-staged">{t.stagedAs[staged]}</span>}
          <HitCount row={row} />
        </div>
        {clashes.map((clash) => (
          <p key={`${clash.kind} ${clash.message.reason}`} className="routing-clash fine wrap">
            <Icon name="warn" /> {clashText(clash, t.findings, why, nameOf)}{" "}
            {clash.kind === "shadowed" && row.moveAbove && (
              <Button kind="quiet" needs={["routing", "update"]} onPress={() => moveTo(row.moveAbove!.index)}>
                {t.findings.moveAbove(row.moveAbove.name)}
              </Button>
            )}
          </p>
        ))}
      </div>
      <div className="routing-do">
        <Switch row={row} />
        <Menu
          label={ui.actionsFor(policy.name)}
          items={[
            { label: t.edit, icon: "edit", needs: ["routing", "update"], onPress: () => onOpen(policy.id) },
            index > 0 && {
              label: t.moveUp,
              icon: "up",
              needs: ["routing", "update"],
              onPress: () => moveTo(index - 1),
            },
            index < count - 1 && {
              label: t.moveDown,
              icon: "down",
              needs: ["routing", "update"],
              onPress: () => moveTo(index + 1),
            },
            index > 0 && { label: t.moveTop, needs: ["routing", "update"], onPress: () => moveTo(0) },
            index < count - 1 && {
              label: t.moveBottom,
              needs: ["routing", "update"],
              onPress: () => moveTo(count - 1),
            },
            policy.source_type === "device" && {
              label: t.explainThis,
              needs: ["policyViews", "evaluate"],
              onPress: () => go(`/routing?tab=explain&from=${encodeURIComponent(policy.source_value)}`),
            },
            {
              label: t.remove,
              icon: "remove",
              danger: true,
              needs: ["routing", "remove"],
              onPress: () => onRemove(policy.id),
            },
          ]}
        />
      </div>
    </div>
  );
});

/** The current state, and the reason in small type. */
function Doing({ row, nameOf }: Pick<LineProps, "row" | "nameOf">) {
  const t = useTranslation().routing;
  const why = useReason();
  const { doing, reason, policy, shadowedBy, clashes } = row;
  const isInFindings = clashes.some(({ kind }) => kind === "shadowed" || kind === "duplicate");
  const isPlain = doing === "protected" || doing === "unused" || (doing === "direct" && !row.isFallback);
  const state =
    doing === "off" ? (
      <State state="unknown" text={t.off} />
    ) : doing === "new" ? (
      <State state="unknown" text={t.notRunning} />
    ) : doing === "waiting" ? (
      <State state="unknown" text={t.waits} />
    ) : doing === "next" ? (
      <State state="unknown" text={t.nextDecides} />
    ) : doing === "unused" ? (
      <State state="unknown" text={isInFindings ? t.unused : t.notUsed(shadowedBy!)} />
    ) : (
      <State state={doing} />
    );
  return (
    <>
      {state}
      {reason && !isPlain && policy.enabled && <span className="quiet wrap">{readable(why.line(reason), nameOf)}</span>}
    </>
  );
}

/** Until when a policy with a schedule applies, or from when. */
function ScheduleNow({ policy: { schedule, enabled } }: Pick<PolicyRow, "policy">) {
  const t = useTranslation().routing.scheduled;
  const format = useFormat();
  if (!schedule || !enabled) return null;
  const { name, active, next_change_at } = schedule;
  const at = next_change_at === null ? null : format.exact(new Date(next_change_at));
  return <span className="wrap">{at === null ? t.always(name) : active ? t.until(name, at) : t.from(name, at)}</span>;
}

function HitCount({ row: { hits } }: Pick<LineProps, "row">) {
  const t = useTranslation().routing;
  const format = useFormat();
  if (!hits || hits.connections === 0) return <span className="quiet">{t.neverHit}</span>;
  return (
    <span className="quiet">
      {t.hits(format.number(hits.connections))}
      {hits.last_hit && (
        <>
          , {t.lastHit} <Ago at={hits.last_hit} />
        </>
      )}
    </span>
  );
}

function Switch({ row: { policy } }: Pick<LineProps, "row">) {
  const t = useTranslation().routing;
  const may = useMay();
  const toast = useToast();
  const toggle = useAction("routing", "toggle");
  const turn = (enabled: boolean, canUndo: boolean) =>
    toggle.mutate(
      { params: { id: policy.id }, body: { enabled } },
      {
        onSuccess: () =>
          toast.done(
            (enabled ? t.switchedOn : t.switchedOff)(policy.name),
            canUndo ? () => turn(!enabled, false) : undefined,
          ),
        onError: toast.failed,
      },
    );
  if (!may(["routing", "toggle"])) return null;
  const shown = toggle.isPending ? (toggle.variables.body?.enabled ?? policy.enabled) : policy.enabled;
  return (
    <RowSwitch
      label={t.switchLabel(policy.name)}
      needs={["routing", "toggle"]}
      value={shown}
      onChange={(on) => turn(on, true)}
    />
  );
}

type FindingTexts = ReturnType<typeof useTranslation>["routing"]["findings"];

const maxNamed = 3;

/** The gateway reports several kinds of contradictions; those other than the standard one are shown as it explains them. */
function clashText(
  { kind, others, message }: Clash,
  t: FindingTexts,
  why: ReasonTexts,
  nameOf: (word: string) => string,
): string {
  const named = t.named(others.slice(0, maxNamed), Math.max(0, others.length - maxNamed));
  const isStandard = kind !== "contradiction" || message.coded_reason?.code === "policy_contradicts";
  if (kind !== "dangling" && kind !== "exposed" && isStandard) return t[kind](named);
  const text = readable(why.line(message), nameOf);
  return others.length === 0 ? text : t.joined(text, named);
}
