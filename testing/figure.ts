import { appendFileSync } from "node:fs";

/** One measured value for the record of a proof, with its target where it has one. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The value should be at most this. */
  readonly most?: number;
  /** The value should be at least this. */
  readonly least?: number;
  readonly note?: string;
}

/** Appends the figure to the file that `npm run proof` names in `FIGURES`. Outside of a proof nothing is kept. */
export function recordFigure(figure: Figure): void {
  const file = process.env["FIGURES"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}
