import { useQuery } from "@tanstack/react-query";
import { useGo } from "../ui/search-param.ts";
import { Button } from "../ui/button.tsx";
import { useToast } from "../ui/toasts.tsx";
import { gateway } from "../api/gateway.ts";
import { allRows, apiQuery, useAction } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";
import { useTranslation } from "../i18n/i18n.tsx";
import { useApply, defaultTrialSec } from "./applying.ts";
import { useDeviceChange } from "./device-change.ts";

/** Quarantines a leaking device at once; can be undone. */
export function BlockDevice({ id }: { readonly id: string }) {
  const { home: t } = useTranslation();
  const toast = useToast();
  const change = useDeviceChange();
  const block = () =>
    gateway.devices
      .get({ params: { id } })
      .then((device) => change(device, { state: "quarantined" }, t.deviceBlocked(device.name)))
      .catch(toast.failed);
  return (
    <Button kind="danger" needs={["devices", "update"]} onPress={() => void block()}>
      {t.blockNow}
    </Button>
  );
}

/**
 * Makes a policy fail closed. This is a staged change like any other: it is applied on trial at once if nothing else is
 * staged, and otherwise waits for the operator, who may not want the rest applied.
 */
export function BlockPolicy({ id }: { readonly id: string }) {
  const { home: t } = useTranslation();
  const [toast, go, may] = [useToast(), useGo(), useMay()];
  const policy = useQuery({ ...allRows("routing", "list"), enabled: may(["routing", "list"]) }).data?.find(
    (it) => it.id === id,
  );
  const changes = useQuery({ ...apiQuery("changes", "show"), enabled: may(["changes", "show"]) }).data;
  const apply = useApply();
  const update = useAction("routing", "update");
  // The fail policy of a profile belongs to the profile: other policies may use it.
  if (!policy || policy.profile_id !== null || !changes) return null;
  const isAlone = changes.staged.length === 0 && !changes.pending;
  const block = () =>
    update.mutate(
      { params: { id }, body: { fail_policy: "fail-closed" } },
      {
        onError: toast.failed,
        onSuccess: () => {
          if (isAlone) return apply.run(defaultTrialSec);
          toast.done(t.policyStaged(policy.name));
          go("/changes");
        },
      },
    );
  return (
    <Button kind="danger" needs={["routing", "apply"]} busy={update.isPending || apply.busy} onPress={block}>
      {t.blockNow}
    </Button>
  );
}
