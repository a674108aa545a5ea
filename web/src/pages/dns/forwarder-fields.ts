export const defaultPorts = { plain: 53, dot: 853, doh: 443 } as const;

/** Domains separated by lines, blanks or commas. */
export const itemsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "");
