import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { LinkButton } from "../ui/button.tsx";
import { Dialog, StopDialog } from "../ui/floating.tsx";
import { Loaded } from "../ui/page.tsx";
import { apiQuery } from "../api/queries.ts";
import { useTranslation } from "../i18n/i18n.tsx";

interface Props {
  readonly type: "tunnel" | "proxy";
  readonly of: { readonly id: string; readonly name: string };
  /** The loss, as a sentence. */
  readonly text: ReactNode;
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** The gateway refuses to remove a resource in use: lists its users instead. */
export function UnusedRemoval({ type, of: { id, name }, text, act, onClose }: Props) {
  const t = useTranslation().removal;
  const uses = useQuery(apiQuery("references", "show", { params: { type, id } }));
  if (uses.data?.total === 0)
    return <StopDialog onClose={onClose} title={t.title(name)} text={text} act={act} doneText={t.done(name)} />;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.title(name)}
      footer={uses.data && <LinkButton to="/routing">{t.toPolicies}</LinkButton>}
    >
      <Loaded query={uses} lines={2}>
        {({ referenced_by }) => (
          <>
            <p>{t.stillUsed(name)}</p>
            <ul>
              {Object.entries(referenced_by).map(([kind, count]) => (
                <li key={kind}>{t.references[kind]?.(count) ?? `${count} ${kind.replaceAll("_", " ")}`}</li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
