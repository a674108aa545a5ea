import { because } from "@portcullis/contract/reason";
import type { Pause } from "@portcullis/contract/subsystems/pauses";
import { type Component, component } from "@portcullis/contract/subsystems/status";

/** What is paused, for /observer. While filtering or protection is paused for everyone, the gateway is not in order. */
export function pausesComponent(active: readonly Pick<Pause, "type" | "source_type" | "expires_at">[]): Component {
  const forAll = active.filter(
    ({ type, source_type }) => source_type === "everyone" && (type === "filtering" || type === "protection"),
  );
  if (forAll.length > 0) {
    const until = forAll
      .map(({ expires_at }) => expires_at)
      .toSorted()
      .at(-1)!;
    const types = forAll.map(({ type }) => type).toSorted();
    return component("pauses", "degraded", because("pauses_everyone", { types, until }));
  }
  return component(
    "pauses",
    "ok",
    active.length === 0 ? because("pauses_none") : because("pauses_some", { pauses: active.length }),
  );
}
