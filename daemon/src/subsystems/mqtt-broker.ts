import { X509Certificate } from "node:crypto";
import { because, type Reason, reported } from "@portcullis/contract/reason";
import { refuseField } from "./resources.ts";

/** How a broker is reached. */
export interface MqttServer {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "none";
  readonly ca: string | null;
}

/** The settings of a broker with their defaults; certificates that cannot be read are refused. */
export function brokerOf({ port, security, ca }: Settings): Omit<MqttServer, "host"> {
  if (security === "starttls") refuseField("security", "must be tls or none for MQTT");
  if (ca !== null && security === "none") refuseField("ca", "has no effect without TLS");
  if (ca !== null && !isReadable(ca)) refuseField("ca", "is not a certificate in PEM form");
  const chosen = security === "none" ? "none" : "tls";
  return { port: port ?? ports[chosen], security: chosen, ca };
}

/** Why a broker did not accept something. `show` removes what must not be shown. */
export function refusalOf(error: unknown, show: (text: string) => string = (text) => text) {
  const { name, code, message } = error as { readonly name: string; readonly code?: unknown; readonly message: string };
  const refused = name === "MqttRefused" && typeof code === "number" ? code : undefined;
  const isLogin = refused !== undefined && loginCodes.has(refused);
  const reason: Reason =
    refused === undefined
      ? because("mqtt_unreachable", { why: reported(show(message)) })
      : isLogin
        ? because("mqtt_login_refused")
        : because("mqtt_refused", { number: refused });
  return { reason, isLogin };
}

/** Codes of CONNACK in MQTT 3.1.1: bad user name or password, and not authorized. */
const loginCodes: ReadonlySet<number> = new Set([4, 5]);

interface Settings {
  readonly port: number | null;
  readonly security: "starttls" | "tls" | "none" | null;
  readonly ca: string | null;
}

const ports = { tls: 8883, none: 1883 };

function isReadable(pem: string): boolean {
  try {
    for (const [block] of pem.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g))
      void new X509Certificate(block);
    return true;
  } catch {
    return false; // The text between the lines is not a certificate.
  }
}
