import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { useGo } from "../../ui/search-param.ts";
import { Loaded } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { gateway } from "../../api/gateway.ts";
import { apiQuery, useAction } from "../../api/queries.ts";
import { reasonFor } from "../../components/outcomes.ts";
import { stateOf, useRibbonHops } from "../../components/paths.ts";
import { Ribbon } from "../../components/ribbon.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { LeakProof } from "./leak-proof.tsx";
import { Check } from "./check.tsx";

/** MAC address of an unknown device: locally administered, so that no vendor assigns it. */
const unknownMac = "02:00:5e:10:00:00";

/** Outcomes for a known and an unknown device, now and with every hop down. */
async function prove() {
  const policies = (await gateway.routing.list({ query: { limit: 1000 } })).items;
  const known = (await gateway.devices.list({ query: { limit: 1, state: "known" } })).items[0];
  const hopsDown = Object.fromEntries(policies.flatMap(({ hops }) => hops.map(({ target }) => [target, false])));
  const evaluated = async (who: { readonly device_id: string } | { readonly mac: string }) => {
    const now = await gateway.policyViews.evaluate({ body: who });
    const whenDown = await gateway.policyViews.evaluate({ body: { ...who, hops_up: hopsDown } });
    return { now, whenDown, hops: policies.find(({ id }) => id === now.policy_id)?.hops ?? [] };
  };
  return {
    status: await gateway.status.status(),
    known: known && { name: known.name, ...(await evaluated({ device_id: known.id })) },
    unknown: await evaluated({ mac: unknownMac }),
  };
}

export function ProofStep() {
  const { start: t } = useTranslation();
  const [go, toast] = [useGo(), useToast()];
  const proof = useQuery({ queryKey: ["policyViews", "proof"], queryFn: prove, refetchInterval: 5000 });
  const pending = useQuery({ ...apiQuery("changes", "show"), refetchInterval: 5000 }).data?.pending;
  const keep = useAction("changes", "confirm", { invalidates: ["routing", "snapshots", "policyViews"] });
  const finish = () => {
    localStorage.removeItem("portcullis.start");
    go("/");
  };
  return (
    <>
      <Loaded query={proof}>
        {({ status, known, unknown: other }) => (
          <>
            <ul className="stack tight">
              <InForce {...status} />
              {known && <WhenDown name={known.name} outcome={known.whenDown.outcome} />}
              <WhenDown name={t.unknownDevice} outcome={other.whenDown.outcome} />
            </ul>
            <section className="card" aria-label={t.paths}>
              {known && <Path {...known} />}
              <Path name={t.unknownDevice} {...other} />
            </section>
            <LeakProof ready={status.dataplane_enabled && status.ready} />
          </>
        )}
      </Loaded>
      <div className="row">
        {pending ? (
          <Button
            kind="main"
            needs={["changes", "confirm"]}
            busy={keep.isPending}
            onPress={() => keep.mutate({}, { onError: toast.failed, onSuccess: finish })}
          >
            {t.keepAndFinish}
          </Button>
        ) : (
          <Button kind="main" onPress={finish}>
            {t.finish}
          </Button>
        )}
      </div>
    </>
  );
}

function InForce({ ready, dataplane_enabled }: Awaited<ReturnType<typeof prove>>["status"]) {
  const { start: t } = useTranslation();
  if (!dataplane_enabled) return <Check state="bad">{t.notEnforced}</Check>;
  return <Check state={ready ? "good" : "waiting"}>{t.inForce(ready)}</Check>;
}

type Proof = Awaited<ReturnType<typeof prove>>["unknown"] & { readonly name: string };

function Path({ name, now, hops }: Proof) {
  const ribbonHops = useRibbonHops();
  const why = useReason();
  const state = stateOf(now.outcome, hops);
  return <Ribbon from={name} fromName={name} hops={ribbonHops(hops)} state={state} now={reasonFor(now, why)} />;
}

/** Whether anything would leave in the clear when a hop fails. */
function WhenDown({ name, outcome }: { readonly name: string; readonly outcome: Proof["whenDown"]["outcome"] }) {
  const { start: t } = useTranslation();
  const leaves = outcome !== "block" && outcome !== "local";
  return <Check state={leaves ? "bad" : "good"}>{t.whenDown(name, leaves)}</Check>;
}
