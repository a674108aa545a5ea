export const usualPorts = { plain: 53, dot: 853, doh: 443 } as const;

/** Names as somebody writes a few of them: by lines, blanks or commas. */
export const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "");
