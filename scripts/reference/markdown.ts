/** The little Markdown the reference is written in. */

/** Blocks with an empty line between them. */
export const blocks = (...parts: readonly (string | undefined)[]): string =>
  `${parts.filter((part) => part !== undefined && part !== "").join("\n\n")}\n`;

/** At the top of every page, against edits by hand. */
export const generated = "<!-- Generated from contract/ by `npm run reference`. -->";

export const code = (text: string): string => `\`${text}\``;

export const link = (text: string, to: string): string => `[${text}](${to})`;

export const bullets = (items: readonly (string | undefined)[]): string =>
  items
    .filter((item) => item !== undefined)
    .map((item) => `- ${item}`)
    .join("\n");

export const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

/** A table, or nothing when it has no rows. */
export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string | undefined =>
  rows.length === 0 ? undefined : [header, header.map(() => "---"), ...rows].map(row).join("\n");

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** The anchor GitHub gives a heading. */
export const anchor = (heading: string): string =>
  `#${heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")}`;
