import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { useGo } from "../../ui/address.ts";
import { Loaded } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { gateway } from "../../api/gateway.ts";
import { reading, useAct } from "../../api/reading.ts";
import { reasonFor } from "../../components/outcomes.ts";
import { stateOf, useRibbonHops } from "../../components/paths.ts";
import { Ribbon } from "../../components/ribbon.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { LeakProof } from "./leak-proof.tsx";
import { Check } from "./check.tsx";

/** MAC address of an unknown device: locally administered, so that no vendor assigns it. */
const stranger = "02:00:5e:10:00:00";

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
    stranger: await evaluated({ mac: stranger }),
  };
}

export function ProofStep() {
  const { start: say } = useWords();
  const [go, toast] = [useGo(), useToast()];
  const proof = useQuery({ queryKey: ["policyViews", "proof"], queryFn: prove, refetchInterval: 5000 });
  const pending = useQuery({ ...reading("changes", "show"), refetchInterval: 5000 }).data?.pending;
  const keep = useAct("changes", "confirm", { renews: ["routing", "snapshots", "policyViews"] });
  const finish = () => {
    localStorage.removeItem("portcullis.start");
    go("/");
  };
  return (
    <>
      <Loaded query={proof}>
        {({ status, known, stranger: other }) => (
          <>
            <ul className="stack tight">
              <InForce {...status} />
              {known && <WhenDown name={known.name} outcome={known.whenDown.outcome} />}
              <WhenDown name={say.aStranger} outcome={other.whenDown.outcome} />
            </ul>
            <section className="card" aria-label={say.paths}>
              {known && <Path {...known} />}
              <Path name={say.aStranger} {...other} />
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
            {say.keepAndFinish}
          </Button>
        ) : (
          <Button kind="main" onPress={finish}>
            {say.finish}
          </Button>
        )}
      </div>
    </>
  );
}

function InForce({ ready, dataplane_enabled }: Awaited<ReturnType<typeof prove>>["status"]) {
  const { start: say } = useWords();
  if (!dataplane_enabled) return <Check state="bad">{say.notEnforced}</Check>;
  return <Check state={ready ? "good" : "waiting"}>{say.inForce(ready)}</Check>;
}

type Proof = Awaited<ReturnType<typeof prove>>["stranger"] & { readonly name: string };

function Path({ name, now, hops }: Proof) {
  const ribbonHops = useRibbonHops();
  const state = stateOf(now.outcome, hops);
  return <Ribbon from={name} fromName={name} hops={ribbonHops(hops)} state={state} now={reasonFor(now)} />;
}

/** Whether anything would leave in the clear when a hop fails. */
function WhenDown({ name, outcome }: { readonly name: string; readonly outcome: Proof["whenDown"]["outcome"] }) {
  const { start: say } = useWords();
  const leaves = outcome !== "block" && outcome !== "local";
  return <Check state={leaves ? "bad" : "good"}>{say.whenDown(name, leaves)}</Check>;
}
