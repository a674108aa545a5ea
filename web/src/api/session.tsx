import { admits, type Role } from "@portcullis/contract/role";
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext } from "react";
import { routes } from "virtual:routes";
import { gateway, type Operation, type Subsystem } from "./gateway.ts";
import { apiQuery } from "./queries.ts";

/** `["tunnels", "up"]`: the operation that a control calls. */
export type Needs = { readonly [S in Subsystem]: readonly [S, Operation<S>] }[Subsystem];

const Session = createContext<Role | null>(null);

/** The current user. Fetched once, and again whenever the gateway rejects the session. */
export const useCurrentUser = () => useQuery({ ...apiQuery("auth", "status"), staleTime: 60_000 });

/** Another user, or none: no query and no result of the previous session stays in the tab. */
export async function clearSession(queries: QueryClient): Promise<void> {
  queries.getMutationCache().clear();
  await queries.resetQueries();
}

export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({ mutationFn: () => gateway.auth.logout(), onSuccess: () => clearSession(queries) });
}

export function SessionProvider({ role, children }: { readonly role: Role | null; readonly children: ReactNode }) {
  return <Session value={role}>{children}</Session>;
}

/** Whether a control is shown at all. The gateway enforces the permission itself. */
export function useMay(): (needs: Needs) => boolean {
  const role = useContext(Session);
  return useCallback(
    ([subsystem, operation]) => {
      const endpoint = routes[subsystem]?.[operation];
      if (endpoint === undefined) return false;
      return endpoint.role === "anyone" || (role !== null && admits(endpoint.role, role));
    },
    [role],
  );
}
