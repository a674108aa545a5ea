import type { InputOf } from "@portcullis/contract/endpoint";
import type { Chain, chains } from "@portcullis/contract/subsystems/chains";
import type { Profile, profiles } from "@portcullis/contract/subsystems/routing";
import { type NamedNeeds, namedResource } from "../named.ts";
import { given, newId, resolveOptional } from "../resources.ts";
import { refuseInvalidHops } from "./source.ts";

/** Route profiles: hops that several policies share. */
export function profileService({ ledger, refuseInUse }: NamedNeeds) {
  type CreateBody = InputOf<typeof profiles.create>["body"];
  type UpdateBody = InputOf<typeof profiles.update>["body"];
  const normalize = (body: UpdateBody) => {
    refuseInvalidHops(body.hops);
    return given({ ...body, chain_id: resolveOptional(ledger.staged("chain"), "chain_id", body.chain_id) });
  };
  return namedResource({
    ledger,
    refuseInUse,
    kind: "profile",
    noun: "route profile",
    create: (body: CreateBody): Profile => ({ ...profileDefaults, ...normalize(body), name: body.name, id: newId() }),
    update: (before: Profile, body: UpdateBody): Profile => ({ ...before, ...normalize(body) }),
  });
}

/** Traffic chains: ordered stages. */
export function chainService({ ledger, refuseInUse }: NamedNeeds) {
  return namedResource({
    ledger,
    refuseInUse,
    kind: "chain",
    noun: "traffic chain",
    create: ({ name, stages = [] }: InputOf<typeof chains.create>["body"]): Chain => ({ id: newId(), name, stages }),
    update: (before: Chain, body: InputOf<typeof chains.update>["body"]): Chain => ({ ...before, ...given(body) }),
  });
}

const profileDefaults: Omit<Profile, "id" | "name"> = {
  description: "",
  hops: [],
  fail_policy: "fail-closed",
  splitting: false,
  chain_id: null,
};
