export interface ChartProps {
  readonly label: string;
  /** Time of each value, oldest first. */
  readonly times: readonly Date[];
  readonly series: readonly Series[];
  readonly unit: (value: number) => string;
}

export interface Series {
  readonly name: string;
  /** One of the tokens, such as `--accent`. */
  readonly colour: string;
  readonly values: readonly number[];
}
