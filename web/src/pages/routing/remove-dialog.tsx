import type { Policy } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { StopDialog } from "../../ui/floating.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { usePolicySentence } from "../../components/paths.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { bodyOf, draftOf } from "./draft.ts";
import { successorOf } from "./successor.ts";
import { usePolicies } from "./policy-queries.ts";

/** Lists the devices that the policy matches, and the policy that decides for them then. */
export function RemoveDialog({ id, onClose }: { readonly id: string | undefined; readonly onClose: () => void }) {
  const t = useTranslation().routing.removal;
  const toast = useToast();
  const policies = usePolicies().data ?? [];
  const policy = policies.find((it) => it.id === id);
  const create = useAction("routing", "create");
  const remove = useAction("routing", "remove");
  const restore = (removed: Policy) =>
    create.mutate({ body: bodyOf(draftOf(removed), removed) }, { onError: toast.failed });
  return (
    <StopDialog
      open={policy !== undefined}
      onClose={onClose}
      title={t.title(policy?.name ?? "")}
      action={t.action}
      text={policy && <Consequence policy={policy} policies={policies} />}
      act={async () => {
        if (!policy) return;
        await remove.mutateAsync({ params: { id: policy.id } });
        toast.done(t.done(policy.name), () => restore(policy));
      }}
    />
  );
}

function Consequence({ policy, policies }: { readonly policy: Policy; readonly policies: readonly Policy[] }) {
  const t = useTranslation().routing.removal;
  const sentence = usePolicySentence();
  const who = useWhom(policy);
  const devices = useQuery({ ...allRows("devices", "list"), staleTime: 30_000 }).data;
  const groups = devices?.find(({ id }) => id === policy.source_value)?.group_ids ?? [];
  const successor = successorOf(policy, policies, groups);
  return (
    <div className="stack tight">
      <p>{t.text(sentence(policy))}</p>
      {who && <p>{t.devices(who)}</p>}
      <p>{successor ? t.successor(sentence(successor)) : t.thenNothing}</p>
      <p className="quiet fine">{t.staged}</p>
    </div>
  );
}

const maxNamed = 3;

/** The devices that it matches, as far as they can be named. */
function useWhom({ source_type, source_value }: Policy): string | undefined {
  const t = useTranslation().routing.removal;
  const format = useFormat();
  const devices = useQuery({ ...allRows("devices", "list"), staleTime: 30_000 }).data ?? [];
  if (source_type === "all") return t.everyone;
  if (source_type !== "device_group") return undefined;
  const members = devices.filter(({ group_ids }) => group_ids.includes(source_value));
  return members.length === 0 || members.length > maxNamed
    ? t.count(members.length)
    : format.list(members.map(({ name }) => name));
}
