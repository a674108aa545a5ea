import type { ReactNode } from "react";
import { useFormat } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";
import "./counts.css";

/** How many there are of each kind, beside each other. */
export function Counts({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="counts" role="group" aria-label={label}>
      {children}
    </div>
  );
}

interface Props {
  readonly count: number;
  readonly value: string;
  /** What the list is narrowed to; empty: it is not. */
  readonly wanted: string;
  readonly onWant: (value: string) => void;
  /** Of what there are so many. */
  readonly children: ReactNode;
}

/** Pressing it narrows a list to those it counts, pressing it again widens it. */
export function Count({ count, value, wanted, onWant, children }: Props) {
  const format = useFormat();
  const isWanted = wanted === value;
  return (
    <Button aria-pressed={isWanted} onPress={() => onWant(isWanted ? "" : value)}>
      <span className="number">{format.number(count)}</span>
      {children}
    </Button>
  );
}
