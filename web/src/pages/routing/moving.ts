import type { Policy } from "@portcullis/contract/subsystems/routing";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useToast } from "../../ui/toasts.tsx";
import { gateway } from "../../api/gateway.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { moved, type Rewrite, rewrites } from "./order.ts";
import { inOrder } from "../../components/policies/order.ts";

type Priorities = ReadonlyMap<string, number>;
const asRead: Priorities = new Map();

/**
 * Moves a policy: shown at once, written in the background, and undone as a whole. Requested priorities override
 * fetched ones until the last is written, or rows would jump back during quick moves.
 */
export function useMoving(read: readonly Policy[]) {
  const queries = useQueryClient();
  const t = useTranslation().routing;
  const toast = useToast();
  const [requested, setRequested] = useState(asRead);
  const latest = useRef(requested);
  const line = useRef({ last: Promise.resolve(), waiting: 0 });
  const policies = useMemo(() => withPriorities(read, requested), [read, requested]);

  const show = (next: Priorities) => {
    latest.current = next;
    setRequested(next);
  };
  const write = (written: readonly Rewrite[]): Promise<void> => {
    show(new Map([...latest.current, ...written.map(({ id, priority }) => [id, priority] as const)]));
    line.current.waiting += 1;
    const done = line.current.last.then(async () => {
      // One after the other: the gateway checks each write for contradictions.
      for (const { id, priority } of written) await gateway.routing.update({ params: { id }, body: { priority } });
    });
    line.current.last = done.catch(() => {}).then(settle);
    return done;
  };
  const settle = async () => {
    line.current.waiting -= 1;
    if (line.current.waiting > 0) return;
    void queries.invalidateQueries({ queryKey: ["changes"] });
    await queries.invalidateQueries({ queryKey: ["routing"] });
    if (line.current.waiting === 0) show(asRead);
  };

  const move = (id: string, to: number): void => {
    const now = withPriorities(read, latest.current);
    const mover = now.find((policy) => policy.id === id);
    const written = rewrites(moved(inOrder(now), id, to), id);
    if (!mover || written.length === 0) return;
    const before = new Map(now.map((policy) => [policy.id, policy.priority]));
    const back = written.map((it) => ({ id: it.id, priority: before.get(it.id)! })).toReversed();
    const undo = () => void write(back).then(() => toast.done(t.movedBack), toast.failed);
    write(written).then(() => toast.done(t.moved(mover.name), undo), toast.failed);
  };
  // A stable function: rows that have not moved need no new render.
  const mover = useRef(move);
  useEffect(() => void (mover.current = move));
  return { policies, move: useCallback((id: string, to: number) => mover.current(id, to), []) };
}

const withPriorities = (policies: readonly Policy[], requested: Priorities): readonly Policy[] =>
  requested.size === 0
    ? policies
    : policies.map((policy) => {
        const priority = requested.get(policy.id);
        return priority === undefined ? policy : { ...policy, priority };
      });
