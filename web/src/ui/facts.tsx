import type { ReactNode } from "react";
import "./facts.css";

export type Fact = readonly [name: string, value: ReactNode] | false | null | undefined | "";

/** Names with what they are, one under the other. What does not apply is left out. */
export function Facts({ all }: { readonly all: readonly Fact[] }) {
  return (
    <dl className="facts">
      {all.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
