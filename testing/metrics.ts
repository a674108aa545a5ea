import { spawnSync } from "node:child_process";

export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of an exposition. Throws for a line that is neither a comment nor a sample. */
export function samplesIn(text: string): ReadSample[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name, inner = "", value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/u.exec(line) ?? [];
      if (name === undefined) throw new Error(`Not a sample: ${line}`);
      return { name, labels: labelsIn(inner), value: Number(value) };
    });
}

function labelsIn(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  const pair = /([a-z_]+)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/uy;
  while (pair.lastIndex < text.length) {
    const [, name, value] = pair.exec(text) ?? [];
    if (name === undefined) throw new Error(`Not labels: ${text}`);
    labels[name] = value!.replace(/\\(["\\n])/g, (_, it: string) => (it === "n" ? "\n" : it));
  }
  return labels;
}

/** The complaints of Prometheus about a text; none: it takes it, and finds nothing against its conventions. */
export function promtool(
  words: readonly string[],
  input = "",
): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr, error } = spawnSync("promtool", [...words], {
    input,
    encoding: "utf8",
    timeout: 120_000,
  });
  if (error) throw error;
  return { status, output: `${stdout}${stderr}`.trim() };
}
