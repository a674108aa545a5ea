import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { copyright, renderChangelog } from "./control.ts";

/** One file of the package. */
export interface PackedFile {
  readonly path: string;
  readonly mode: number;
  readonly content: Uint8Array;
}

interface Sources {
  /** The repository, built. */
  readonly root: string;
  /** The folder of the Node that is packed, and one that runs on this machine. */
  readonly node: string;
  readonly runningNode: string;
  readonly version: string;
  readonly time: Date;
}

const library = "/usr/lib/portcullis";
const documents = "/usr/share/doc/portcullis";

export function packedFiles({ root, node, runningNode, version, time }: Sources): PackedFile[] {
  const file = (path: string, content: string | Uint8Array, mode = 0o644): PackedFile => ({
    path,
    mode,
    content: typeof content === "string" ? Buffer.from(content) : content,
  });
  const from = (source: string, path: string, mode?: number) => file(path, readFileSync(join(root, source)), mode);
  const zipped = (path: string, content: string | Uint8Array) => file(`${path}.gz`, gzipSync(content, { level: 9 }));
  const printed = (...words: string[]): Buffer =>
    execFileSync(runningNode, [join(root, "dist/portcullis.mjs"), ...words]);
  return [
    ...globSync("**/*", { cwd: join(root, "dist"), withFileTypes: true })
      .filter((it) => it.isFile() && !it.name.endsWith(".map"))
      .map((it) => join(it.parentPath, it.name).slice(join(root, "dist/").length))
      .toSorted()
      .map((name) => from(`dist/${name}`, `${library}/${name}`)),
    file(`${library}/node`, readFileSync(join(node, "bin/node")), 0o755),
    from("packaging/portcullis-guard", `${library}/portcullis-guard`, 0o755),
    from("packaging/portcullis-blocked.nft", `${library}/portcullis-blocked.nft`),
    file("/usr/bin/portcullis", launcher("portcullis.mjs"), 0o755),
    file("/usr/sbin/portcullisd", launcher("portcullisd.mjs"), 0o755),
    from("packaging/portcullis.service", "/usr/lib/systemd/system/portcullis.service"),
    from("packaging/portcullis-guard.service", "/usr/lib/systemd/system/portcullis-guard.service"),
    from("packaging/50-portcullis.preset", "/usr/lib/systemd/system-preset/50-portcullis.preset"),
    from("packaging/90-portcullis.conf", "/usr/lib/sysctl.d/90-portcullis.conf"),
    from("packaging/networkd.conf", "/usr/lib/systemd/networkd.conf.d/50-portcullis.conf"),
    from("packaging/grafana/portcullis.json", "/usr/share/portcullis/grafana/portcullis.json"),
    file(
      "/usr/share/portcullis/portcullis.yaml",
      withoutEnforcement(readFileSync(join(root, "packaging/portcullis.yaml"), "utf8")),
    ),
    zipped("/usr/share/man/man1/portcullis.1", printed("man")),
    zipped("/usr/share/man/man8/portcullisd.8", readFileSync(join(root, "packaging/portcullisd.8"))),
    file("/usr/share/bash-completion/completions/portcullis", printed("completion", "bash")),
    file("/usr/share/zsh/vendor-completions/_portcullis", printed("completion", "zsh")),
    file("/usr/share/fish/vendor_completions.d/portcullis.fish", printed("completion", "fish")),
    file(`${documents}/copyright`, copyright),
    zipped(`${documents}/changelog`, readFileSync(join(root, "CHANGELOG.md"))),
    zipped(`${documents}/changelog.Debian`, renderChangelog(version, time)),
    ...(existsSync(join(node, "LICENSE"))
      ? [zipped(`${documents}/LICENSE.node`, readFileSync(join(node, "LICENSE")))]
      : []),
    from("packaging/lintian-overrides", "/usr/share/lintian/overrides/portcullis"),
  ];
}

const launcher = (program: string): string => `#!/bin/sh\nexec ${library}/node ${library}/${program} "$@"\n`;

/**
 * A package does not know the interfaces of the machine. Machines with an eth0 and an eth1 exist, so the names of the defaults
 * must not be enforced unasked.
 */
export function withoutEnforcement(config: string): string {
  const changed = config.replace(
    "\n  #enabled: true\n  # Seconds until the first enforcement",
    "\n  # `portcullis setup` sets the interfaces and enables it.\n  enabled: false\n  # Seconds until the first enforcement",
  );
  if (changed === config)
    throw new Error("packaging/portcullis.yaml has no key dataplane.enabled where it is expected");
  return changed;
}
