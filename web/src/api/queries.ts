import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { type Gateway, gateway, type Operation, type Subsystem } from "./gateway.ts";

type Call<S extends Subsystem, N extends Operation<S>> = Gateway[S][N] extends (input: infer I) => Promise<infer R>
  ? { readonly input: I; readonly result: R }
  : never;
type Input<S extends Subsystem, N extends Operation<S>> = Call<S, N>["input"];
type Result<S extends Subsystem, N extends Operation<S>> = Call<S, N>["result"];

/** The body of a request. */
export type Body<S extends Subsystem, N extends Operation<S>> =
  NonNullable<Input<S, N>> extends { readonly body?: infer B } ? NonNullable<B> : never;

const callApi = <S extends Subsystem, N extends Operation<S>>(subsystem: S, name: N, input: unknown) =>
  (gateway[subsystem][name] as (input: unknown) => Promise<Result<S, N>>)(input);

/** For `useQuery`: `useQuery(apiQuery("devices", "get", { params: { id } }))`. Queries of a subsystem are invalidated together. */
export const apiQuery = <S extends Subsystem, N extends Operation<S>>(
  subsystem: S,
  name: N,
  ...[input]: undefined extends Input<S, N> ? [Input<S, N>?] : [Input<S, N>]
) =>
  queryOptions({
    queryKey: [subsystem, name, input ?? {}] as const,
    queryFn: () => callApi(subsystem, name, input),
  });

/** Every row of a paged list, up to `max`, in pages of the largest size. */
export const allRows = <S extends Subsystem, N extends Operation<S>>(
  subsystem: S,
  name: N,
  query: Readonly<Record<string, unknown>> = {},
  max = 20_000,
) =>
  queryOptions({
    queryKey: [subsystem, name, "every row", query, max] as const,
    queryFn: async () => {
      type Row = Result<S, N> extends { readonly items: readonly (infer T)[] } ? T : never;
      const rows: Row[] = [];
      let cursor: string | undefined;
      do {
        const page = (await callApi(subsystem, name, {
          query: { limit: 1000, ...query, ...(cursor && { cursor }) },
        })) as unknown as { readonly items: readonly Row[]; readonly next?: string };
        rows.push(...page.items);
        cursor = page.next;
      } while (cursor !== undefined && rows.length < max);
      return rows;
    },
  });

interface ActionOptions<R> {
  /** Subsystems whose queries are invalidated, besides its own and the staged changes. */
  readonly invalidates?: readonly Subsystem[];
  readonly onDone?: (result: R) => void;
  /** Whether the request is repeated after this many failures. */
  readonly retry?: (failures: number, problem: Error) => boolean;
}

const retryMs = 500;

/** A mutation. The affected queries are refetched before it counts as done. */
export function useAction<S extends Subsystem, N extends Operation<S>>(
  subsystem: S,
  name: N,
  { invalidates = [], onDone, retry = () => false }: ActionOptions<Result<S, N>> = {},
) {
  const queries = useQueryClient();
  return useMutation<Result<S, N>, Error, Input<S, N>>({
    mutationFn: (input) => callApi(subsystem, name, input),
    retry,
    retryDelay: retryMs,
    onSuccess: async (result) => {
      await Promise.all(
        [subsystem, "changes", ...invalidates].map((invalidated) =>
          queries.invalidateQueries({ queryKey: [invalidated] }),
        ),
      );
      onDone?.(result);
    },
  });
}

/** Subsystems whose entries are created, changed and removed one by one. */
export type Stored = {
  [S in Subsystem]: "create" | "update" | "remove" extends Operation<S> ? S : never;
}[Subsystem];

/** Saves an entry: creates it, or updates the one with this id. */
export function useSave<S extends Stored>(
  subsystem: S,
  id: string | undefined,
  options: ActionOptions<Result<S, "create" & Operation<S>>> = {},
) {
  const create = useAction(subsystem, "create" as "create" & Operation<S>, options);
  const update = useAction(subsystem, "update" as "update" & Operation<S>, options as object);
  return {
    busy: create.isPending || update.isPending,
    problem: create.error ?? update.error,
    save: (body: Body<S, "create" & Operation<S>>) =>
      id === undefined
        ? create.mutate({ body } as Parameters<typeof create.mutate>[0])
        : update.mutate({ params: { id }, body } as Parameters<typeof update.mutate>[0]),
  };
}
