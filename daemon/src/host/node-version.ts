/**
 * The first module of the program, so that an older Node is reported in one sentence: it would otherwise fail on the first
 * built-in module that it does not have, with a stack trace.
 */
const requiredMajor = 26;

const [major = 0] = process.versions.node.split(".").map(Number);
// Older versions lack this function, too.
const hasDatabase =
  typeof process.getBuiltinModule === "function" && process.getBuiltinModule("node:sqlite") !== undefined;

if (major < requiredMajor || !hasDatabase) {
  process.stderr.write(
    `portcullisd needs Node ${requiredMajor} with node:sqlite, and ${process.execPath} is Node ${process.versions.node}; ` +
      "run it with the Node that `npm ci` installs, /usr/lib/portcullis/node on an installed gateway.\n",
  );
  process.exit(1);
}
