import type { ChannelType } from "@portcullis/contract/subsystems/alert-channels";

/** The channels that settings refer to, by the normalized form of their names. */
export const fixedTypes: ReadonlyMap<string, ChannelType> = new Map([
  ["webhook", "webhook"],
  ["telegram", "telegram"],
]);
