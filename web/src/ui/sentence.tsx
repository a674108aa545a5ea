import type { ReactNode } from "react";
import { Glyph, type StateName } from "./state.tsx";
import "./sentence.css";

interface Props {
  readonly state: StateName;
  readonly title: string;
  readonly detail: string;
  /** What is to be done about it. */
  readonly children?: ReactNode;
}

/** How everything stands, large, and in a second sentence why. */
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
