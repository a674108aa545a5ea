import { useQuery } from "@tanstack/react-query";
import { StopDialog } from "../../ui/floating.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

const subsystems = { privacy_class: "privacyClasses", trust_class: "trustClasses" } as const;

interface Props {
  readonly type: keyof typeof subsystems;
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}

/** A class can be removed when it has no members: lists the remaining ones. */
export function ClassRemoval({ type, id, name, onClose }: Props) {
  const { devices, ui } = useTranslation();
  const t = devices.belongings;
  const references = useQuery(apiQuery("references", "show", { params: { type, id } })).data;
  const remove = useAction(subsystems[type], "remove", { invalidates: ["devices"] });
  const parts = Object.entries(references?.referenced_by ?? {}).map(
    ([kind, count]) => t.users[kind]?.(count) ?? t.otherUsers(count, kind.replaceAll("_", " ")),
  );
  return (
    <StopDialog
      onClose={onClose}
      title={t.removeTitle(name)}
      text={!references ? ui.loading : parts.length === 0 ? t.unused : t.stillUsed(parts)}
      action={t.remove}
      act={() => remove.mutateAsync({ params: { id } })}
      doneText={t.removed(name)}
    />
  );
}
