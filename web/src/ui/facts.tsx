import type { ReactNode } from "react";
import "./facts.css";

export type Fact = readonly [name: string, value: ReactNode] | false | null | undefined | "";

/** Labels with values. Rows without a value are omitted. */
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
