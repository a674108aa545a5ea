import type { Chain, Element, Holder, Steering } from "./steering.render.ts";

/** The one table an apply rewrites. Everything outside our tables belongs to someone else. */
export const steeringTable = "inet portcullis";

const hooks: Readonly<Record<string, string>> = {
  prerouting: "type filter hook prerouting priority mangle; policy accept;",
};

/**
 * Steering → one nft transaction that rewrites the table in place: what stands is emptied and filled again, what
 * belongs to older generations goes. Deleting the table and making it anew would lose packets. `standing` names what
 * the kernel has now; the time left of an element that ends by itself is counted from `nowMs`.
 */
export function renderTransaction(
  { holders, chains }: Steering,
  standing: { readonly holders: readonly string[]; readonly chains: readonly string[] },
  nowMs: number,
): string {
  const wantedHolders = new Set(holders.map(({ name }) => name));
  const wantedChains = new Set(chains.map(({ name }) => name));
  const emptied = holders.filter(({ kept }) => !kept);
  return [
    ...block(
      holders.map((it) => declare(it, [], nowMs)),
      chains.map(({ name }) => chainText({ name, rules: [] })),
    ),
    ...chains.map(({ name }) => `flush chain ${steeringTable} ${name}`),
    ...standing.chains.filter((name) => !wantedChains.has(name)).map((name) => `flush chain ${steeringTable} ${name}`),
    ...emptied.map(({ kind, name }) => `flush ${kind} ${steeringTable} ${name}`),
    ...standing.holders.filter((name) => !wantedHolders.has(name)).map((name) => `delete map ${steeringTable} ${name}`),
    ...standing.chains.filter((name) => !wantedChains.has(name)).map((name) => `delete chain ${steeringTable} ${name}`),
    ...block(
      emptied.map((it) => declare(it, it.elements, nowMs)),
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

function declare({ kind, name, type, flags }: Holder, elements: readonly Element[], nowMs: number): string {
  const lines = [
    `\t\ttype ${type}`,
    ...(flags ? [`\t\tflags ${flags}`] : []),
    ...(elements.length > 0
      ? [`\t\telements = { ${elements.map((it) => elementText(it, nowMs)).join(",\n\t\t\t")} }`]
      : []),
  ];
  return [`\t${kind} ${name} {`, ...lines, "\t}"].join("\n");
}

/** An element whose time is up when it is written is gone with the next tick: nft takes 0 for "never". */
const elementText = ({ key, data, comment, untilMs }: Element, nowMs: number): string =>
  [
    key,
    ...(untilMs === undefined ? [] : [`timeout ${Math.max(1, Math.ceil(untilMs - nowMs))}ms`]),
    ...(comment === undefined ? [] : [`comment "${comment}"`]),
    ...(data === undefined ? [] : [`: ${data}`]),
  ].join(" ");

function chainText({ name, rules }: Chain): string {
  const hook = hooks[name];
  return [`\tchain ${name} {`, ...(hook ? [`\t\t${hook}`] : []), ...rules.map((rule) => `\t\t${rule}`), "\t}"].join(
    "\n",
  );
}
