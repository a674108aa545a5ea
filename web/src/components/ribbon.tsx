import { Fragment, type ReactNode } from "react";
import { Glyph, type StateName, useShownState } from "../ui/state.tsx";
import { useTranslation } from "../i18n/i18n.tsx";
import { type Drawing, type DrawnHop, drawingOf } from "./ribbon-drawing.ts";
import "./ribbon.css";

export interface RibbonHop extends DrawnHop {
  readonly name: string;
  /** "WireGuard", "SOCKS5": the kind, in small type. */
  readonly kind: string;
  /** Age of the last handshake, round trip: in small type, under the name. */
  readonly note?: ReactNode;
}

/** The path of a device or policy to the internet, with its current state. */
export interface RibbonPath {
  readonly from: ReactNode;
  /** The same as text, for the sentence. */
  readonly fromName: string;
  readonly hops: readonly RibbonHop[];
  readonly state: StateName;
  /** The current effect, under the ribbon: "blocked until Zürich responds". */
  readonly now?: string;
  /** At the far right: latency, a sparkline. */
  readonly aside?: ReactNode;
}

/** The same drawing on every page: a path through gates and hops to the internet. */
export function Ribbon({ from, fromName, hops, state: known, now, aside }: RibbonPath) {
  const t = useTranslation().ribbon;
  const state = useShownState(known);
  const drawing = drawingOf(hops, state);
  const { bypass, arrives } = drawing;
  const sentence = t.sentence(
    fromName,
    hops.map((hop) => (hop.state === "down" && state !== "unknown" ? t.isDown(hop.name) : hop.name)),
    state,
    bypass !== undefined,
  );
  return (
    <div className="ribbon-frame">
      <p className="unseen">{now ? `${sentence} ${now}` : sentence}</p>
      <div className={`ribbon ${state}`} aria-hidden="true">
        <div className="ribbon-end">{from}</div>
        {bypass ? (
          <div className={`ribbon-bypass ${bypass}`}>
            <Hops hops={hops} drawing={drawing} />
            <Stretch {...drawing.last} />
          </div>
        ) : (
          <>
            <Hops hops={hops} drawing={drawing} />
            <Stretch {...drawing.last} />
          </>
        )}
        <div className={`ribbon-end ${arrives ? "" : "beyond"}`}>{t.internet}</div>
        {aside && <div className="ribbon-aside">{aside}</div>}
      </div>
      {now && (
        <p className="fine quiet" aria-hidden="true">
          {now}
        </p>
      )}
    </div>
  );
}

function Hops({ hops, drawing }: { readonly hops: readonly RibbonHop[]; readonly drawing: Drawing }) {
  return hops.map((hop, index) => {
    const { beyond, ...stretch } = drawing.hops[index]!;
    return (
      <Fragment key={index}>
        <Stretch {...stretch} />
        <div className={`ribbon-hop ${hop.state} ${beyond ? "beyond" : ""}`}>
          <span className="strong wrap">{hop.name}</span>
          <span className="quiet fine">
            {hop.kind}
            {hop.note && <> · {hop.note}</>}
          </span>
        </div>
      </Fragment>
    );
  });
}

/** A segment of the line, with its gate. */
function Stretch({ line, gate }: Drawing["last"]) {
  return <div className={`ribbon-line ${line}`}>{gate && <Glyph state={gate} />}</div>;
}
