import type { System } from "../../system/system.ts";
import { type Countries, readCountries } from "./countries.ts";

/** The lists are read when they are first there: the package may be installed later. */
export function countryLists(
  system: Pick<System, "readText">,
  pause: () => Promise<unknown>,
  warn: (message: string, error: unknown) => void,
) {
  let current: Countries | undefined;
  let isLoading = false;
  return {
    current: () => current,
    load: () => {
      if (current || isLoading) return;
      isLoading = true;
      void readCountries(system, pause)
        .then(
          (read) => void (current = read),
          (error: unknown) => warn("The countries of addresses cannot be read", error),
        )
        .finally(() => (isLoading = false));
    },
  };
}
