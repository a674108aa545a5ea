export const names = ["actor", "action", "resource_type", "since", "until"] as const;
export type Filter = Readonly<Partial<Record<(typeof names)[number], string>>>;

/** The URL parameters as the API takes them. A day covers 24 hours in the reader's time zone. */
export function filterOf(params: URLSearchParams): Filter {
  const given = names.flatMap((name): [string, string][] => {
    const value = params.get(name)?.trim() ?? "";
    const taken = name === "since" || name === "until" ? momentOf(value, name) : value;
    return taken ? [[name, taken]] : [];
  });
  return Object.fromEntries(given);
}

function momentOf(value: string, end: "since" | "until"): string | undefined {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value);
  const at = new Date(isDay ? `${value}T${end === "since" ? "00:00:00.000" : "23:59:59.999"}` : value);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
