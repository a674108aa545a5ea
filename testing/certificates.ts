import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll } from "vitest";
import { linux } from "../daemon/src/system/system.ts";
import { temporaryFolder } from "./folder.ts";

export interface MadeCertificate {
  readonly cert_file: string;
  readonly key_file: string;
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate for 127.0.0.1 that is valid from now on; with negative days it has expired. */
export async function makeCertificate(folder: string, name: string, days = 400): Promise<MadeCertificate> {
  const [cert_file, key_file, request] = ["crt", "key", "csr"].map((it) => join(folder, `${name}.${it}`)) as [
    string,
    string,
    string,
  ];
  const openssl = (words: string) => linux.run("openssl", words.split(" "));
  const curve = "ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
  const extension = "-addext subjectAltName=IP:127.0.0.1";
  await openssl(`req -newkey ${curve} ${extension} -subj /CN=${name} -keyout ${key_file} -out ${request}`);
  const self = `-signkey ${key_file} -copy_extensions copy -days ${days}`;
  await openssl(`x509 -req -in ${request} ${self} -out ${cert_file}`);
  return { cert_file, key_file, cert: readFileSync(cert_file, "utf8"), key: readFileSync(key_file, "utf8") };
}

/** A certificate for 127.0.0.1 that this process trusts while the tests of a file run. */
export function trustedCertificate() {
  const folder = temporaryFolder();
  const trusted = getCACertificates("default");
  let pair: MadeCertificate;
  const trust = (isTrusted: boolean) => setDefaultCACertificates(isTrusted ? [...trusted, pair.cert] : trusted);
  beforeAll(async () => {
    pair = await makeCertificate(folder.path, "server");
    trust(true);
  });
  afterAll(() => {
    trust(false);
    folder[Symbol.dispose]();
  });
  return { pair: () => pair, folder: folder.path, trust };
}
