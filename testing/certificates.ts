import { readFileSync } from "node:fs";
import { join } from "node:path";
import { linux } from "../daemon/src/system/system.ts";

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
