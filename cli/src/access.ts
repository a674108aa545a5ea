import type { Target } from "./address.ts";
import { Misuse, Unreachable } from "./failure.ts";
import type { KnownGateways } from "./known-gateways.ts";
import type { Access } from "./send.ts";
import { decideTrust } from "./trust.ts";

/** Credentials from the environment. */
export interface Given {
  readonly key: string | undefined;
  readonly keyFile: string | undefined;
  readonly pin: string | undefined;
  /** Text of a file that other users cannot read; undefined where there is none. */
  readonly readPrivate: (path: string) => string | undefined;
  readonly note: (message: string) => void;
}

/** Credential and trust for one gateway: the environment first, then what `portcullis login` has stored. */
export function accessTo(target: Target, known: KnownGateways, given: Given): Access {
  if (target.kind === "socket") return { key: keyOf(given), judge: () => {} };
  const { origin } = target;
  const key = keyOf(given) ?? known.get(origin).key;
  return {
    key,
    judge: ({ isVerified, pin }) => {
      const stored = known.get(origin);
      const pinned = given.pin ?? stored.pin;
      const { kind } = decideTrust({ isVerified, pin, pinned, hasCredential: key !== undefined });
      if (kind === "unknown") throw new Unreachable(unknownPin(origin, pin));
      if (kind === "changed") throw new Unreachable(changedPin(origin, pin, pinned!));
      if (kind === "accept") return;
      known.set(origin, { ...stored, pin });
      given.note(`The gateway at ${origin} has a self-signed certificate; its key ${pin} is stored in ${known.path}.`);
    },
  };
}

function keyOf({ key, keyFile, readPrivate }: Given): string | undefined {
  if (key !== undefined && key.trim() !== "") return key.trim();
  if (keyFile === undefined || keyFile === "") return undefined;
  const text = readPrivate(keyFile)?.trim();
  if (text === undefined || text === "") throw new Misuse(`PORTCULLIS_KEY_FILE is ${keyFile}, where there is no key`);
  return text;
}

const unknownPin = (origin: string, pin: string): string =>
  `No certificate authority of this system vouches for ${origin}, and this client has not seen it before. ` +
  `No key was sent. Its key is ${pin}: compare that with tls_pin of "portcullis status" on the gateway itself, then run ` +
  `"portcullis login", or set PORTCULLIS_PIN to it`;

const changedPin = (origin: string, pin: string, pinned: string): string =>
  `${origin} has the key ${pin}, and not ${pinned} as expected. Either the gateway was set up again, or another machine ` +
  `answers in its place. Nothing was sent. If tls_pin of "portcullis status" on the gateway itself is the new one, run ` +
  `"portcullis logout" and "portcullis login"`;
