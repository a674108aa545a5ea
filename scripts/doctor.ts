/** Stops early, with a sentence, when a script runs on another Node than the one the lock file pins. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major !== 26 || minor < 10) {
  console.error(
    `This is node ${process.versions.node}; Portcullis runs on the Node 26 that \`npm ci\` installs. ` +
      "Call the scripts through npm (`npm test`, `npm run …`), not with a bare node.",
  );
  process.exit(1);
}
