import { isMap, isScalar, isSeq, type Node, type Pair, parseDocument, stringify, type YAMLMap } from "yaml";

/** New values by dotted key, such as `network.wan_iface`. */
export type KeyValues = Readonly<Record<string, string | number | boolean | readonly (string | number)[]>>;

/**
 * The text of a bootstrap file with other values. Comments, order and every other line stay as they are. A key that is not in the file
 * follows its commented-out line, or else the name of its section.
 */
export const withValues = (text: string, values: KeyValues): string =>
  Object.entries(values).reduce((edited, [dotted, value]) => withValue(edited, dotted.split("."), value), text);

function withValue(text: string, [section = "", name = ""]: readonly string[], value: KeyValues[string]): string {
  const document = parseDocument(text);
  const root: Node | null = document.contents;
  const isEmpty = root === null || (isScalar(root) && root.value === null);
  // JSON is YAML too; it has no comments to keep.
  if (!isEmpty && !isBlock(root)) return inDocument();
  const line = `  ${name}: ${inline(value)}`;
  const pair = isEmpty ? undefined : pairOf(root as YAMLMap, section);
  if (!pair) return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}\n${section}:\n${line}\n`;
  const keys: unknown = pair.value;
  if (isMap(keys) && keys.items.length > 0) {
    const existing = pairOf(keys, name);
    if (existing && JSON.stringify(existing.value) === JSON.stringify(value)) return text;
    if (existing) return inPlace(existing) ?? inDocument();
    if (!isBlock(keys)) return inDocument();
  } else if (!isAbsent(keys)) return inDocument();
  return withLine(pair, isMap(keys) ? indentOf(keys) : undefined);

  function inPlace({ value: node }: Pair): string | undefined {
    const isInline = isScalar(node) ? !isAbsent(node) && !node.type?.startsWith("BLOCK") : isSeq(node) && node.flow;
    if (!isInline || !(node as Node).range) return undefined;
    const range = (node as Node).range!;
    return `${text.slice(0, range[0])}${inline(value)}${text.slice(range[1])}`;
  }
  /** Below the commented-out line of this key in the section, or below the line of the section's name. */
  function withLine(of: Pair, indent: string | undefined): string {
    const lines = text.split("\n");
    const at = lineOf(startOf(of));
    const end = lines.findIndex((it, index) => index > at && /^[^\s#]/.test(it));
    const isDefault = new RegExp(`^\\s+#\\s?${name}:`);
    const found = lines.findIndex((it, index) => index > at && (end < 0 || index < end) && isDefault.test(it));
    const after = found < 0 ? at : found;
    const before = indent ?? /^(\s+)#/.exec(lines[found] ?? "")?.[1] ?? "  ";
    return lines.toSpliced(after + 1, 0, `${before}${line.trim()}`).join("\n");
  }
  function inDocument(): string {
    if (isMap(document.get(section))) document.setIn([section, name], value);
    else document.set(section, { [name]: value });
    return document.toString({ lineWidth: 0 });
  }
  function indentOf(map: YAMLMap): string {
    const start = startOf(map.items[0]!);
    return text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  }
  function lineOf(offset: number): number {
    return text.slice(0, offset).split("\n").length - 1;
  }
}

/** `network:` with nothing behind it. */
const isAbsent = (node: unknown): boolean =>
  node === null || (isScalar(node) && node.value === null && (node.source ?? "") === "");

const isBlock = (node: unknown): node is YAMLMap => isMap(node) && node.flow !== true;

const pairOf = (map: YAMLMap, name: string): Pair | undefined =>
  map.items.find(({ key }) => isScalar(key) && String(key.value) === name);

const startOf = ({ key }: Pair): number => (key as Node).range![0];

const inline = (value: KeyValues[string]): string =>
  stringify(value, { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0 }).trim();
