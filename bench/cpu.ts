/** Answers each message of the parent with the CPU time so far, and exits with the parent. */
export function reportCpu(): void {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send!(user + system);
  });
  process.once("disconnect", () => process.exit(0));
}
