import { useQuery } from "@tanstack/react-query";
import { StopDialog } from "../../ui/floating.tsx";
import { reading, useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";

const subsystems = { privacy_class: "privacyClasses", trust_class: "trustClasses" } as const;

interface Props {
  readonly type: keyof typeof subsystems;
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}

/** A class can be removed when it has no members: lists the remaining ones. */
export function ClassRemoval({ type, id, name, onClose }: Props) {
  const { devices, kit } = useWords();
  const say = devices.belongings;
  const references = useQuery(reading("references", "show", { params: { type, id } })).data;
  const remove = useAct(subsystems[type], "remove", { renews: ["devices"] });
  const parts = Object.entries(references?.referenced_by ?? {}).map(
    ([kind, count]) => say.users[kind]?.(count) ?? say.otherUsers(count, kind.replaceAll("_", " ")),
  );
  return (
    <StopDialog
      onClose={onClose}
      title={say.removeTitle(name)}
      says={!references ? kit.loading : parts.length === 0 ? say.unused : say.stillUsed(parts)}
      action={say.remove}
      act={() => remove.mutateAsync({ params: { id } })}
      doneSays={say.removed(name)}
    />
  );
}
