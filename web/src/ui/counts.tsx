import type { ReactNode } from "react";
import { useFormat } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";
import "./counts.css";

interface CountsProps {
  readonly label: string;
  /** Number and state in one line. */
  readonly small?: boolean;
  readonly children: ReactNode;
}

/** A row of counts. */
export function Counts({ label, small, children }: CountsProps) {
  return (
    <div className={small ? "counts small" : "counts"} role="group" aria-label={label}>
      {children}
    </div>
  );
}

interface Props {
  readonly count: number;
  readonly value: string;
  /** The current filter of the list; empty: none. */
  readonly wanted: string;
  readonly onWant: (value: string) => void;
  /** The counted state. */
  readonly children: ReactNode;
}

/** Pressing it filters a list, pressing it again removes the filter. */
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
