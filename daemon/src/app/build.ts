/** Defined by the bundler (rolldown.config.ts); undefined when the sources run directly. */
declare const __BUILD_COMMIT__: string | undefined;
declare const __BUILD_DATE__: string | undefined;

/** Commit and date of the sources, runtime and platform. */
export const build: string = [
  `commit ${typeof __BUILD_COMMIT__ === "string" ? __BUILD_COMMIT__ : "unknown"}`,
  `of ${typeof __BUILD_DATE__ === "string" ? __BUILD_DATE__ : "unknown date"},`,
  `node ${process.versions.node}`,
  `${process.platform}-${process.arch}`,
].join(" ");
