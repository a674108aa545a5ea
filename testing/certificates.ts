import { readFileSync } from "node:fs";
import { join } from "node:path";
import { linux } from "../daemon/src/system/system.ts";

export interface MadeCertificate {
  readonly cert_file: string;
  readonly key_file: string;
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate for 127.0.0.1 that is valid from now on. */
export async function makeCertificate(folder: string, name: string, days = 400): Promise<MadeCertificate> {
  const [cert_file, key_file] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days ${days} -addext subjectAltName=IP:127.0.0.1`;
  await linux.run("openssl", [...options.split(" "), "-subj", `/CN=${name}`, "-keyout", key_file, "-out", cert_file]);
  return { cert_file, key_file, cert: readFileSync(cert_file, "utf8"), key: readFileSync(key_file, "utf8") };
}
