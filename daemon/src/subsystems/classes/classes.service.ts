import type { InputOf } from "@portcullis/contract/endpoint";
import type { PrivacyClass, privacyClasses, TrustClass, trustClasses } from "@portcullis/contract/subsystems/classes";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { found, given, newId, pageOf, refuseFull, refuseTaken, resolveOptional } from "../resources.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly refuseInUse: (kind: string, id: string) => void;
}
interface Query {
  readonly limit?: number;
  readonly cursor?: string;
}

/** How far a device is trusted, and what it gets when nobody says otherwise. */
export function trustClassService({ ledger, refuseInUse }: Needs) {
  type UpdateBody = InputOf<typeof trustClasses.update>["body"];

  const settle = (body: UpdateBody) =>
    given({
      ...body,
      default_privacy_class: resolveOptional(
        ledger.staged("privacy_class"),
        "default_privacy_class",
        body.default_privacy_class,
      ),
      default_profile: resolveOptional(ledger.staged("profile"), "default_profile", body.default_profile),
    });
  return namedClass({
    ledger,
    refuseInUse,
    kind: "trust_class",
    noun: "trust class",
    create: (body: InputOf<typeof trustClasses.create>["body"]): TrustClass => ({
      ...stranger,
      ...settle(body),
      name: body.name,
      id: newId(),
    }),
    update: (before: TrustClass, body: UpdateBody): TrustClass => ({ ...before, ...settle(body) }),
  });
}

/** What a device is protected from. What is not said is said in favour of the device. */
export function privacyClassService({ ledger, refuseInUse }: Needs) {
  type CreateBody = InputOf<typeof privacyClasses.create>["body"];
  type UpdateBody = InputOf<typeof privacyClasses.update>["body"];
  return namedClass({
    ledger,
    refuseInUse,
    kind: "privacy_class",
    noun: "privacy class",
    create: (body: CreateBody): PrivacyClass => ({ ...careful, ...given(body), name: body.name, id: newId() }),
    update: (before: PrivacyClass, body: UpdateBody): PrivacyClass => ({ ...before, ...given(body) }),
  });
}

const stranger = { description: "", level: 50, default_privacy_class: null, default_profile: null } as const;

const careful = {
  description: "",
  dns_mode: "system",
  force_dns: true,
  block_doh: true,
  block_ipv6: false,
  block_webrtc: true,
  require_tunnel: false,
  default_fail_policy: "fail-closed",
  log_level: "counts",
} as const satisfies Omit<PrivacyClass, "id" | "name">;

interface NamedClass<R, C, U> extends Needs {
  readonly kind: string;
  readonly noun: string;
  readonly create: (body: C) => R;
  readonly update: (before: R, body: U) => R;
}

/** Both classes live the same life: a unique name, and no end while something refers to them. */
function namedClass<R extends { id: string; name: string }, C, U>({
  ledger,
  refuseInUse,
  kind,
  noun,
  create,
  update,
}: NamedClass<R, C, U>) {
  const shelf = ledger.staged<R>(kind);
  function put(cause: Cause, resource: R): R {
    ledger.change(cause, (draft) => {
      refuseTaken(shelf, noun, "name", resource.name, resource.id);
      draft.put(kind, resource);
    });
    return resource;
  }
  return {
    list: (query: Query) => pageOf(shelf, query),
    get: (id: string): R => found(shelf, noun, id),
    create: (cause: Cause, body: C): R => {
      refuseFull(shelf, noun);
      return put(cause, create(body));
    },
    update: (cause: Cause, id: string, body: U): R => put(cause, update(found(shelf, noun, id), body)),
    remove: (cause: Cause, id: string): void => {
      found(shelf, noun, id);
      refuseInUse(kind, id);
      ledger.change(cause, (draft) => draft.remove(kind, id));
    },
  };
}
