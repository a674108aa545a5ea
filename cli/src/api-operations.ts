import { api, basePath } from "@portcullis/contract/api";
import { type Endpoint, operations, pathFields } from "@portcullis/contract/endpoint";

/** Operations of the API without a command, for the error message of an unknown command. */

const maxShown = 5;

/** For a first word: operations with this segment in their path. */
export const operationsOfKind = (word: string): string | undefined => describe(withoutCommand().filter(hasStep(word)));

/** For a verb of a kind: the operations with this name, such as `create` of `tunnels`. */
export const operationsOfVerb = (kind: string, verb: string): string | undefined =>
  describe(
    withoutCommand()
      .filter(hasStep(kind))
      .filter(({ name, endpoint }) => name === verb || endpoint.audit?.verb === verb || hasStep(verb)({ endpoint })),
  );

const withoutCommand = () => operations(api).filter(({ endpoint }) => endpoint.cli === undefined);

const hasStep =
  (word: string) =>
  ({ endpoint }: { readonly endpoint: Endpoint }): boolean =>
    endpoint.path.split("/").includes(word);

function describe(found: readonly { readonly endpoint: Endpoint }[]): string | undefined {
  if (found.length === 0) return undefined;
  const listed = found
    .toSorted((a, b) => pathFields(a.endpoint.path).length - pathFields(b.endpoint.path).length)
    .slice(0, maxShown)
    .map(({ endpoint: { method, path, summary } }) => `${method} ${basePath}${path} (${summary})`);
  const more = found.length > maxShown ? ", and more in the reference" : "";
  return `The API offers: ${listed.join(", ")}${more}`;
}
