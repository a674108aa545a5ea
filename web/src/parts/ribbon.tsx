import { Fragment, type ReactNode } from "react";
import { Glyph, State, type StateName } from "../kit/state.tsx";
import { useWords } from "../words/words.tsx";
import "./ribbon.css";

export interface RibbonHop {
  readonly name: string;
  /** "WireGuard", "SOCKS5": what it is, in small. */
  readonly kind: string;
  readonly state: "up" | "down" | "unknown";
  /** Age of the last sign of life, round trip: small, under the name. */
  readonly note?: ReactNode;
}

/** Who goes through what to where, and what becomes of it now. */
export interface RibbonPath {
  readonly from: ReactNode;
  /** The same in plain words, for the sentence. */
  readonly fromName: string;
  readonly hops: readonly RibbonHop[];
  readonly state: StateName;
  /** What happens now, under the ribbon: "shut until Zürich answers". */
  readonly now?: string;
  /** At the far right: latency, a sparkline. */
  readonly aside?: ReactNode;
}

/** The same drawing everywhere: a path from somebody through gates and hops to the internet. */
export function Ribbon({ from, fromName, hops, state, now, aside }: RibbonPath) {
  const say = useWords().ribbon;
  const broken = hops.findIndex((hop) => hop.state === "down");
  const isBeyond = (place: number) => (broken !== -1 && place > broken) || state === "shut";
  const arrives = state === "protected" || state === "direct" || state === "leaking";
  const sentence = say.sentence(
    fromName,
    hops.map(({ name, state: hopState }) => (hopState === "down" ? say.isDown(name) : name)),
    state,
  );
  return (
    <div className="ribbon-frame">
      <p className="unseen">{now ? `${sentence} ${now}` : sentence}</p>
      <div className={`ribbon ${state}`} aria-hidden="true">
        <div className="ribbon-end">{from}</div>
        {hops.map((hop, place) => (
          <Fragment key={place}>
            <Stretch state={gateBefore(hop, state, broken)} />
            <div className={`ribbon-hop ${hop.state} ${isBeyond(place) ? "beyond" : ""}`}>
              <span className="strong wrap">{hop.name}</span>
              <span className="quiet fine">
                {hop.kind}
                {hop.note && <> · {hop.note}</>}
              </span>
            </div>
          </Fragment>
        ))}
        {hops.length === 0 ? <Stretch state={state} /> : <div className={`ribbon-line ${arrives ? "" : "broken"}`} />}
        <div className={`ribbon-end ${arrives ? "" : "beyond"}`}>{say.internet}</div>
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

/** The gate before a hop is down where the hop is, or where everything is shut; a leak has no gate. */
function gateBefore(hop: RibbonHop, state: StateName, broken: number): StateName {
  if (state === "leaking" || state === "unknown") return state;
  if (hop.state === "down" || (state === "shut" && broken === -1)) return "shut";
  return "protected";
}

/** A piece of line with the gate on it; a way that is direct has no gate and is dotted. */
function Stretch({ state }: { readonly state: StateName }) {
  return (
    <div className={`ribbon-line ${state === "shut" ? "broken" : ""} ${state === "direct" ? "dotted" : ""}`}>
      <Glyph state={state} />
    </div>
  );
}

/** In a row of a list: the names alone. */
export function SmallRibbon({ hops, state }: Pick<RibbonPath, "state"> & { readonly hops: readonly string[] }) {
  const say = useWords().ribbon;
  return (
    <span className="row fine">
      <State state={state} />
      <span className="quiet wrap">{hops.length > 0 ? hops.join(" → ") : state === "direct" ? say.noHops : ""}</span>
    </span>
  );
}
