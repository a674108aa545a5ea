/** Put in by the bundler (rolldown.config.ts). Sources that run as they are have neither. */
declare const __BUILD_COMMIT__: string | undefined;
declare const __BUILD_DATE__: string | undefined;

/** What this daemon was built from: commit and date of the sources, and what runs it. */
export const build: string = [
  `commit ${typeof __BUILD_COMMIT__ === "string" ? __BUILD_COMMIT__ : "unknown"}`,
  `of ${typeof __BUILD_DATE__ === "string" ? __BUILD_DATE__ : "unknown date"},`,
  `node ${process.versions.node}`,
  `${process.platform}-${process.arch}`,
].join(" ");
