import type { Policy } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { StopDialog } from "../../ui/floating.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, useAct } from "../../api/reading.ts";
import { usePolicySentence } from "../../components/paths.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { bodyOf, draftOf } from "./draft.ts";
import { heirOf } from "./heir.ts";
import { usePolicies } from "./readings.ts";

/** Lists the devices that the policy matches, and the policy that decides for them then. */
export function RemoveDialog({ id, onClose }: { readonly id: string | undefined; readonly onClose: () => void }) {
  const say = useWords().routing.removal;
  const toast = useToast();
  const policies = usePolicies().data ?? [];
  const policy = policies.find((it) => it.id === id);
  const create = useAct("routing", "create");
  const remove = useAct("routing", "remove");
  const restore = (removed: Policy) =>
    create.mutate({ body: bodyOf(draftOf(removed), removed) }, { onError: toast.failed });
  return (
    <StopDialog
      open={policy !== undefined}
      onClose={onClose}
      title={say.title(policy?.name ?? "")}
      action={say.action}
      says={policy && <Consequence policy={policy} policies={policies} />}
      act={async () => {
        if (!policy) return;
        await remove.mutateAsync({ params: { id: policy.id } });
        toast.done(say.done(policy.name), () => restore(policy));
      }}
    />
  );
}

function Consequence({ policy, policies }: { readonly policy: Policy; readonly policies: readonly Policy[] }) {
  const say = useWords().routing.removal;
  const sentence = usePolicySentence();
  const who = useWhom(policy);
  const devices = useQuery({ ...everyRow("devices", "list"), staleTime: 30_000 }).data;
  const groups = devices?.find(({ id }) => id === policy.source_value)?.group_ids ?? [];
  const heir = heirOf(policy, policies, groups);
  return (
    <div className="stack tight">
      <p>{say.says(sentence(policy))}</p>
      {who && <p>{say.devices(who)}</p>}
      <p>{heir ? say.heir(sentence(heir)) : say.thenNothing}</p>
      <p className="quiet fine">{say.staged}</p>
    </div>
  );
}

const namedMost = 3;

/** The devices that it matches, as far as they can be named. */
function useWhom({ source_type, source_value }: Policy): string | undefined {
  const say = useWords().routing.removal;
  const format = useFormat();
  const devices = useQuery({ ...everyRow("devices", "list"), staleTime: 30_000 }).data ?? [];
  if (source_type === "all") return say.everyone;
  if (source_type !== "device_group") return undefined;
  const members = devices.filter(({ group_ids }) => group_ids.includes(source_value));
  return members.length === 0 || members.length > namedMost
    ? say.count(members.length)
    : format.list(members.map(({ name }) => name));
}
