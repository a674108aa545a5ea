import type { Chain, Element, Holder, Steering } from "./steering.render.ts";

/** The one table an apply rewrites. Everything outside our tables belongs to someone else. */
export const steeringTable = "inet portcullis";

const hooks: Readonly<Record<string, string>> = {
  prerouting: "type filter hook prerouting priority mangle; policy accept;",
};

/**
 * Steering → one nft transaction that rewrites the table in place: what stands is emptied and filled again, what
 * belongs to older generations goes. Deleting the table and making it anew would lose packets, and the time left of
 * every exception. `standing` names what the kernel has now.
 */
export function renderTransaction(
  { holders, chains }: Steering,
  standing: { readonly holders: readonly string[]; readonly chains: readonly string[] },
): string {
  const wantedHolders = new Set(holders.map(({ name }) => name));
  const wantedChains = new Set(chains.map(({ name }) => name));
  const emptied = holders.filter(({ kept }) => !kept);
  return [
    ...block(
      holders.map((it) => declare(it, [])),
      chains.map(({ name }) => chainText({ name, rules: [] })),
    ),
    ...chains.map(({ name }) => `flush chain ${steeringTable} ${name}`),
    ...standing.chains.filter((name) => !wantedChains.has(name)).map((name) => `flush chain ${steeringTable} ${name}`),
    ...emptied.map(({ kind, name }) => `flush ${kind} ${steeringTable} ${name}`),
    ...standing.holders.filter((name) => !wantedHolders.has(name)).map((name) => `delete map ${steeringTable} ${name}`),
    ...standing.chains.filter((name) => !wantedChains.has(name)).map((name) => `delete chain ${steeringTable} ${name}`),
    ...block(
      emptied.map((it) => declare(it, it.elements)),
      chains.map(chainText),
    ),
    "",
  ].join("\n");
}

const block = (holders: readonly string[], chains: readonly string[]): string[] => [
  `table ${steeringTable} {`,
  ...holders,
  ...chains,
  "}",
];

function declare({ kind, name, type, flags }: Holder, elements: readonly Element[]): string {
  const lines = [
    `\t\ttype ${type}`,
    ...(flags ? [`\t\tflags ${flags}`] : []),
    ...(elements.length > 0 ? [`\t\telements = { ${elements.map(elementText).join(",\n\t\t\t")} }`] : []),
  ];
  return [`\t${kind} ${name} {`, ...lines, "\t}"].join("\n");
}

const elementText = ({ key, data, comment }: Element): string =>
  `${key}${comment === undefined ? "" : ` comment "${comment}"`}${data === undefined ? "" : ` : ${data}`}`;

function chainText({ name, rules }: Chain): string {
  const hook = hooks[name];
  return [`\tchain ${name} {`, ...(hook ? [`\t\t${hook}`] : []), ...rules.map((rule) => `\t\t${rule}`), "\t}"].join(
    "\n",
  );
}
