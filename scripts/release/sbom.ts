import { createHash } from "node:crypto";

/** The entries of package-lock.json that count here. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}
interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

interface Sources {
  readonly lock: Lock;
  readonly version: string;
  readonly time: Date;
  /** `process.versions` of the Node that is packed. */
  readonly node: Readonly<Record<string, string | undefined>>;
  /** Relations to Debian packages: `unbound (>= 1.17)`. */
  readonly engines: Readonly<Record<"depends" | "recommends", readonly string[]>>;
}

/**
 * The software bill of materials, as CycloneDX: what the programs are built from, the Node that runs them with the libraries inside of
 * it, and the Debian packages that they drive. `npm sbom --omit dev` leaves out whatever a development dependency needs too.
 */
export function billOfMaterials({ lock, version, time, node, engines }: Sources): object {
  const { node: nodeVersion = "", ...libraries } = node;
  const components = [
    ...bundledPackages(lock),
    {
      type: "platform",
      name: "node",
      version: nodeVersion,
      purl: `pkg:generic/node@${nodeVersion}`,
      components: Object.entries(libraries)
        .filter((it): it is [string, string] => Boolean(it[1]))
        .map(([name, its]) => ({ type: "library", name, version: its })),
    },
    ...engines.depends.map((it) => debianPackage(it, "required")),
    ...engines.recommends.map((it) => debianPackage(it, "optional")),
  ];
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      component: { type: "application", name: "portcullis", version, purl: `pkg:deb/portcullis@${version}` },
    },
    components,
  };
  return { ...document, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(document))}` };
}

/** Every package that one of the workspaces needs at run time, directly or not. */
function bundledPackages({ packages }: Lock): object[] {
  const found = new Set<string>();
  const queue = Object.keys(packages).filter((path) => path !== "" && !path.includes("node_modules"));
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = packages[path]!;
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
    for (const name of [...Object.keys(dependencies), ...peers]) {
      const place = resolvePackage(packages, path, name);
      if (packages[place]!.link === true || found.has(place)) continue;
      found.add(place);
      queue.push(place);
    }
  }
  return [...found].toSorted().map((path) => {
    const { version = "", integrity = "", license } = packages[path]!;
    const name = path.split("node_modules/").at(-1)!;
    return {
      type: "library",
      name,
      version,
      scope: "required",
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex") }],
      ...(license && { licenses: [{ expression: license }] }),
    };
  });
}

/** Where Node finds a package: in the nearest node_modules of a folder above. */
function resolvePackage(packages: Lock["packages"], from: string, name: string): string {
  const folders = from.split("/");
  for (let length = folders.length; length >= 0; length -= 1) {
    const folder = folders.slice(0, length).join("/");
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
  }
  throw new Error(`package-lock.json has no ${name}, which ${from} needs`);
}

function debianPackage(relation: string, scope: "required" | "optional"): object {
  const [name = "", ...range] = relation.split(" ");
  return {
    type: "application",
    name,
    scope,
    purl: `pkg:deb/debian/${name}`,
    ...(range.length > 0 && { properties: [{ name: "debian:relation", value: range.join(" ") }] }),
  };
}

/** The same content has the same number. */
function uuidOf(content: string): string {
  const hex = createHash("sha256").update(content).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
