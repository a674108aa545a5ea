import { api } from "@portcullis/contract/api";
import type { Api } from "@portcullis/contract/endpoint";

/** Of each endpoint, only what a client needs: method and path, the role, and the action name of the audit log. */
export const routeTable = () =>
  mapped(api satisfies Api as Api, (endpoints) =>
    mapped(endpoints, ({ method, path, role, takes, paged, audit }) => ({
      method,
      path,
      role,
      ...(takes && { takes }),
      ...(paged && { paged }),
      ...(audit && { audit }),
    })),
  );

const mapped = <T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
