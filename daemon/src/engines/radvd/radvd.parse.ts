/** How often radvd has read its configuration again, by its output. */
export const timesReloaded = (output: string): number => output.match(/resuming normal operation/g)?.length ?? 0;
