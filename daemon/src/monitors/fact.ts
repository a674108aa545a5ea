import type { DiscoveredFact } from "@portcullis/contract/subsystems/discovery";

/** What a device said about itself, or another source about it. */
export interface Fact {
  readonly field: DiscoveredFact["field"];
  readonly value: string;
  readonly source: DiscoveredFact["source"];
  readonly seenMs: number;
}
