import { createSecureContext } from "node:tls";
import { because, type Reason } from "@portcullis/contract/reason";
import { type Certificate, ownCertificate, pinOf, readPair } from "../system/certificate.ts";
import type { System } from "../system/system.ts";

interface Needs {
  readonly system: System;
  /** The operator's files; undefined: the gateway makes its own certificate. */
  readonly files: { readonly cert: string; readonly key: string } | undefined;
  /** Where its own is kept, and the names in it. */
  readonly folder: string;
  readonly names: readonly string[];
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

export type ApiCertificate = Awaited<ReturnType<typeof openApiCertificate>>;

/** The certificate of the API server. One that is replaced or renewed while the daemon runs is used at once. */
export async function openApiCertificate({ system, files, folder, names, now, warn }: Needs) {
  let current = await read();
  let failure: string | undefined;
  let use: (pair: Certificate) => void = () => {};

  async function read(): Promise<Certificate> {
    if (!files) return ownCertificate(system, { folder, names, now });
    const pair = readPair(system, files.cert, files.key);
    if (!pair) throw new Error(`There is no certificate at ${files.cert}, or no key at ${files.key}`);
    return pair;
  }

  /** Compares the files with what is used. If they cannot be used, the server keeps its certificate. */
  async function check(): Promise<void> {
    try {
      const pair = await read();
      if (pair.cert !== current.cert || pair.key !== current.key) {
        createSecureContext(pair); // Throws if one is broken, or the key is that of another certificate.
        use(pair);
        current = pair;
      }
      failure = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (message !== failure) warn("the API server keeps its earlier TLS certificate", error);
      failure = message;
    }
  }

  return {
    current: () => current,
    pin: () => pinOf(current),
    check,
    /** Sets what gives the server another certificate. */
    onReplaced: (next: typeof use): void => void (use = next),
    trouble: (): Reason | undefined => {
      if (failure === undefined) return undefined;
      return because(files ? "certificate_files_unused" : "certificate_not_made", { why: failure });
    },
  };
}
