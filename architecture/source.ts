import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { type ImportDeclarationSpecifier, parseSync, Visitor, type VisitorObject } from "oxc-parser";

/** A source file. Paths are relative to the repository, with forward slashes. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

export interface Import {
  /** A file of the repository, or the specifier of a package. `undefined`: computed at run time. */
  readonly target: string | undefined;
  readonly isInternal: boolean;
  readonly typeOnly: boolean;
  readonly names: readonly { readonly imported: string; readonly local: string }[];
}

const root = join(import.meta.dirname, "..");

/** All files of the product, without tests. */
export const readSources = (): Source[] =>
  globSync("{contract,daemon,cli,web}/src/**/*.{ts,tsx}", { cwd: root })
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

/** Visits the syntax tree. Throws if the file does not parse. */
export function visit({ file, text }: Source, visitor: VisitorObject): void {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  new Visitor(visitor).visit(program);
}

export function importsOf(source: Source): Import[] {
  const imports: Import[] = [];
  const add = (written: unknown, typeOnly: boolean, names: Import["names"] = []): void => {
    const specifier = typeof written === "string" ? written : undefined;
    const isInternal = specifier !== undefined && /^(?:\.|@portcullis\/)/.test(specifier);
    imports.push({ target: specifier && resolved(source.file, specifier), isInternal, typeOnly, names });
  };
  visit(source, {
    ImportDeclaration: ({ source: from, importKind, specifiers }) =>
      add(from.value, importKind === "type", specifiers.map(importedName)),
    ExportNamedDeclaration: ({ source: from, exportKind }) => {
      if (from) add(from.value, exportKind === "type");
    },
    ExportAllDeclaration: ({ source: from, exportKind }) => add(from.value, exportKind === "type"),
    ImportExpression: ({ source: from }) => add(from.type === "Literal" ? from.value : undefined, false),
    TSImportType: ({ source: from }) => add(from.value, true),
  });
  return imports;
}

/** `./x.ts` and `@portcullis/contract/x` become paths in the repository; any other specifier is a package's name. */
function resolved(file: string, specifier: string): string {
  if (specifier.startsWith(".")) return normalize(join(dirname(file), specifier));
  return specifier.replace(/^@portcullis\/(\w+)\/(.+)$/, "$1/src/$2.ts");
}

function importedName(specifier: ImportDeclarationSpecifier): Import["names"][number] {
  const local = specifier.local.name;
  if (specifier.type === "ImportDefaultSpecifier") return { imported: "default", local };
  if (specifier.type === "ImportNamespaceSpecifier") return { imported: "*", local };
  const { imported } = specifier;
  return { imported: imported.type === "Literal" ? imported.value : imported.name, local };
}
