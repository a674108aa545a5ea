import type { ReactNode } from "react";
import { Glyph, type StateName } from "./state.tsx";
import "./sentence.css";

interface Props {
  readonly state: StateName;
  readonly title: string;
  readonly detail: string;
  /** Actions. */
  readonly children?: ReactNode;
}

/** A large verdict with an explanation. */
export function Sentence({ state, title, detail, children }: Props) {
  return (
    <div className="sentence" role="status">
      <Glyph state={state} />
      <div>
        <p className={`state ${state}`}>{title}</p>
        <p className="quiet">{detail}</p>
      </div>
      {children}
    </div>
  );
}
