import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { ownCertificate } from "../daemon/src/system/certificate.ts";
import { linux } from "../daemon/src/system/system.ts";
import type { MadeCertificate } from "./certificates.ts";
import { temporaryFolder } from "./folder.ts";

interface ReceivedMail {
  readonly tls: boolean;
  readonly from: string;
  readonly to: readonly string[];
  readonly content: string;
}

interface MailReceiver {
  readonly username: string;
  readonly password: string;
  /** Absent: one for localhost is made. */
  readonly pair?: MadeCertificate;
}

/** A real mail server of another program, whose certificate this process trusts until it is closed. */
export async function openMailReceiver({ username, password, pair }: MailReceiver) {
  const folder = temporaryFolder();
  const { cert } =
    pair ?? (await ownCertificate(linux, { folder: folder.path, names: ["localhost"], now: () => new Date() }));
  const trusted = getCACertificates("default");
  const script = join(import.meta.dirname, "mail-receiver.py");
  const files = pair
    ? [pair.cert_file, pair.key_file]
    : ["tls-cert.pem", "tls-key.pem"].map((name) => join(folder.path, name));
  // The interpreter for which Debian's package installs aiosmtpd.
  const child = spawn("/usr/bin/python3", ["-W", "ignore", script, ...files, username, password], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) throw new Error("The mail server did not start: is python3-aiosmtpd installed?");
  const port = Number(first.value);
  const received: ReceivedMail[] = [];
  const reading = (async () => {
    for (let line = await lines.next(); !line.done; line = await lines.next())
      received.push(JSON.parse(line.value) as ReceivedMail);
  })();
  return {
    port,
    received,
    trust: (isTrusted: boolean) => setDefaultCACertificates(isTrusted ? [...trusted, cert] : trusted),
    [Symbol.asyncDispose]: async () => {
      setDefaultCACertificates(trusted);
      child.kill();
      await exited;
      await reading;
      folder[Symbol.dispose]();
    },
  };
}
