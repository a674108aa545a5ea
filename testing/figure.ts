import { appendFileSync } from "node:fs";

/** One measured value for the record of a proof, with its target if it has one. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Upper limit. */
  readonly most?: number;
  /** Lower limit. */
  readonly least?: number;
  readonly note?: string;
}

/** Appends the figure to the file that `npm run proof` names in `FIGURES`. Outside of a proof it does nothing. */
export function recordFigure(figure: Figure): void {
  const file = process.env["FIGURES"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}
