import { checkServerIdentity } from "node:tls";
import { createTransport } from "nodemailer";
import type { PqMode } from "../net/key-exchange.ts";
import { tlsError, tlsOptions } from "./outbound-tls.ts";
import type { CertificateEnd } from "./web.ts";

export interface Mail {
  readonly pqMode: PqMode;
  readonly host: string;
  readonly port: number;
  /** starttls: nothing is sent unless the server offers it. */
  readonly security: "starttls" | "tls" | "none";
  readonly login: { readonly username: string; readonly password: string } | null;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly date: Date;
  readonly onCertificate?: ((end: CertificateEnd) => void) | undefined;
}

/** The server refused it. A code of 500 or more is final. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
  readonly code: number;
  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

export interface Sent {
  readonly answer: string;
  /** Recipients that the server refused, with its answers; the others have the message. */
  readonly refused: readonly { readonly address: string; readonly code: number; readonly answer: string }[];
}

/** Sends one message by SMTP, in a connection of its own. */
export async function sendMail(mail: Mail, signal: AbortSignal): Promise<Sent> {
  const { pqMode, host, port, security, login, from, to, headers, onCertificate, ...content } = mail;
  const transport = createTransport({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    tls: {
      ...tlsOptions(pqMode),
      checkServerIdentity: (name, certificate) => {
        onCertificate?.(new Date(certificate.valid_to));
        return checkServerIdentity(name, certificate);
      },
    },
    // The default is the name of this machine, which does not concern the server.
    name: "[127.0.0.1]",
    ...(login && { auth: { user: login.username, pass: login.password } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const sent = await transport.sendMail({
      ...content,
      from: { name: "Portcullis", address: from },
      to: [...to],
      headers: { ...headers },
      textEncoding: "base64",
      signal,
    });
    const refused = (sent.rejectedErrors ?? []).map((it) => ({
      address: it.recipient ?? "",
      code: it.responseCode ?? 0,
      answer: it.response ?? it.message,
    }));
    return { answer: sent.response, refused };
  } catch (error) {
    const failure = error as Error & { readonly responseCode?: number };
    const { responseCode, message } = failure;
    // The library replaces the code of the error.
    if (message.includes("certificate has expired")) onCertificate?.("expired");
    if (responseCode !== undefined) throw new MailRefused(responseCode, message);
    throw tlsError(pqMode, failure);
  } finally {
    transport.close();
  }
}
