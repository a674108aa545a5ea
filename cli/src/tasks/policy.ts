import type { ResultOf } from "@portcullis/contract/endpoint";
import type { Hop, routing } from "@portcullis/contract/subsystems/routing";

export type Policy = ResultOf<typeof routing.get>;
export type FailPolicy = Policy["fail_policy"];
export type { Hop };
