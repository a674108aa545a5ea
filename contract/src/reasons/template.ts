/** The kinds of parameters. The types of their values are in `reason.ts`. */
export type ReasonParam = "text" | "texts" | "number" | "ms" | "time" | "reason" | "reasons";

export type ReasonTemplates = Readonly<Record<string, Template>>;

interface Template {
  readonly text: string;
  readonly params?: Readonly<Record<string, ReasonParam>>;
}
