import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { LinkButton } from "../ui/button.tsx";
import { Dialog, StopDialog } from "../ui/floating.tsx";
import { Loaded } from "../ui/page.tsx";
import { reading } from "../api/reading.ts";
import { useWords } from "../i18n/i18n.tsx";

interface Props {
  readonly type: "tunnel" | "proxy";
  readonly of: { readonly id: string; readonly name: string };
  /** The loss, as a sentence. */
  readonly says: ReactNode;
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** The gateway refuses to remove a resource in use: lists its users instead. */
export function UnusedRemoval({ type, of: { id, name }, says, act, onClose }: Props) {
  const say = useWords().removal;
  const uses = useQuery(reading("references", "show", { params: { type, id } }));
  if (uses.data?.total === 0)
    return <StopDialog onClose={onClose} title={say.title(name)} says={says} act={act} doneSays={say.done(name)} />;
  return (
    <Dialog
      open
      onClose={onClose}
      title={say.title(name)}
      footer={uses.data && <LinkButton to="/routing">{say.toPolicies}</LinkButton>}
    >
      <Loaded query={uses} lines={2}>
        {({ referenced_by }) => (
          <>
            <p>{say.stillUsed(name)}</p>
            <ul>
              {Object.entries(referenced_by).map(([kind, count]) => (
                <li key={kind}>{say.references[kind]?.(count) ?? `${count} ${kind.replaceAll("_", " ")}`}</li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
