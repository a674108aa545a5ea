import { memo } from "react";
import { useGo } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Icon } from "../../ui/icon.tsx";
import { RowSwitch } from "../../ui/row-switch.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { readable } from "../../components/names.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import type { Clash, PolicyRow } from "./rows.ts";

interface LineProps {
  readonly row: PolicyRow;
  readonly sentence: string;
  readonly place: number;
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
  place,
  count,
  nameOf,
  onOpen,
  onMove,
  onRemove,
}: LineProps) {
  const { routing: say, kit } = useWords();
  const may = useMay();
  const go = useGo();
  const { policy, clashes, staged } = row;
  const moveTo = (to: number) => onMove(policy.id, to);
  return (
    <div className="routing-line">
      <span className="routing-place quiet fine" title={say.place(place + 1, policy.priority)}>
        {place + 1}
      </span>
      <div className="routing-what">
        {may(["routing", "update"]) ? (
          <button
            type="button"
            className="routing-sentence"
            aria-label={`${sentence}. ${say.open(policy.name)}`}
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
          <span className="quiet wrap">{policy.name}</span>
          {staged && <span className="tag routing-staged">{say.stagedAs[staged]}</span>}
          <HitCount row={row} />
        </div>
        {clashes.map((clash) => (
          <p key={`${clash.kind} ${clash.message}`} className="routing-clash fine wrap">
            <Icon name="warn" /> {tellClash(clash, say.findings, nameOf)}{" "}
            {clash.kind === "shadowed" && row.moveAbove && (
              <Button kind="quiet" needs={["routing", "update"]} onPress={() => moveTo(row.moveAbove!.place)}>
                {say.findings.moveAbove(row.moveAbove.name)}
              </Button>
            )}
          </p>
        ))}
      </div>
      <div className="routing-do">
        <Switch row={row} />
        <Menu
          label={kit.actionsFor(policy.name)}
          items={[
            { label: say.edit, icon: "edit", needs: ["routing", "update"], onPress: () => onOpen(policy.id) },
            place > 0 && {
              label: say.moveUp,
              icon: "up",
              needs: ["routing", "update"],
              onPress: () => moveTo(place - 1),
            },
            place < count - 1 && {
              label: say.moveDown,
              icon: "down",
              needs: ["routing", "update"],
              onPress: () => moveTo(place + 1),
            },
            place > 0 && { label: say.moveTop, needs: ["routing", "update"], onPress: () => moveTo(0) },
            place < count - 1 && {
              label: say.moveBottom,
              needs: ["routing", "update"],
              onPress: () => moveTo(count - 1),
            },
            policy.source_type === "device" && {
              label: say.explainThis,
              needs: ["policyViews", "evaluate"],
              onPress: () => go(`/routing?tab=explain&from=${encodeURIComponent(policy.source_value)}`),
            },
            {
              label: say.remove,
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
  const say = useWords().routing;
  const { doing, reason, policy, shadowedBy, clashes } = row;
  const isTold = clashes.some(({ kind }) => kind === "shadowed" || kind === "duplicate");
  const isPlain = doing === "protected" || doing === "unused" || (doing === "direct" && !row.isFallback);
  const state =
    doing === "off" ? (
      <State state="unknown" text={say.off} />
    ) : doing === "new" ? (
      <State state="unknown" text={say.notRunning} />
    ) : doing === "next" ? (
      <State state="unknown" text={say.nextDecides} />
    ) : doing === "unused" ? (
      <State state="unknown" text={isTold ? say.unused : say.notUsed(shadowedBy!)} />
    ) : (
      <State state={doing} />
    );
  return (
    <>
      {state}
      {reason && !isPlain && policy.enabled && <span className="quiet wrap">{readable(reason, nameOf)}</span>}
    </>
  );
}

function HitCount({ row: { hits } }: Pick<LineProps, "row">) {
  const say = useWords().routing;
  const format = useFormat();
  if (!hits || hits.connections === 0) return <span className="quiet">{say.neverHit}</span>;
  return (
    <span className="quiet">
      {say.hits(format.number(hits.connections))}
      {hits.last_hit && (
        <>
          , {say.lastHit} <Ago at={hits.last_hit} />
        </>
      )}
    </span>
  );
}

function Switch({ row: { policy } }: Pick<LineProps, "row">) {
  const say = useWords().routing;
  const may = useMay();
  const toast = useToast();
  const toggle = useAct("routing", "toggle");
  const turn = (enabled: boolean, canUndo: boolean) =>
    toggle.mutate(
      { params: { id: policy.id }, body: { enabled } },
      {
        onSuccess: () =>
          toast.done(
            (enabled ? say.switchedOn : say.switchedOff)(policy.name),
            canUndo ? () => turn(!enabled, false) : undefined,
          ),
        onError: toast.failed,
      },
    );
  if (!may(["routing", "toggle"])) return null;
  const shown = toggle.isPending ? (toggle.variables.body?.enabled ?? policy.enabled) : policy.enabled;
  return (
    <RowSwitch
      label={say.switchLabel(policy.name)}
      needs={["routing", "toggle"]}
      value={shown}
      onChange={(on) => turn(on, true)}
    />
  );
}

type FindingWords = ReturnType<typeof useWords>["routing"]["findings"];

const namedMost = 3;

/** The gateway reports several kinds of contradictions; a message other than the standard one is shown unchanged. */
function tellClash({ kind, others, message }: Clash, say: FindingWords, nameOf: (word: string) => string): string {
  const named = say.named(others.slice(0, namedMost), Math.max(0, others.length - namedMost));
  const isUsual = kind !== "contradiction" || message.startsWith("Both speak of the same traffic");
  if (kind !== "dangling" && kind !== "exposed" && isUsual) return say[kind](named);
  return others.length === 0 ? readable(message, nameOf) : say.joined(readable(message, nameOf), named);
}
