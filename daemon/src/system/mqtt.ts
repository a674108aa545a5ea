import { connect as connectPlain, isIP, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { PqMode } from "../net/key-exchange.ts";
import {
  connectPacket,
  disconnectPacket,
  firstPacket,
  type BrokerPacket,
  type ConnectPacket,
  pingPacket,
  publishedPacket,
  publishPacket,
  subscribePacket,
} from "./mqtt-packets.ts";
import { connectTls, tlsError } from "./outbound-tls.ts";
import type { CertificateEnd } from "./web.ts";

export interface MqttBroker {
  readonly pqMode: PqMode;
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "none";
  /** Certificates in PEM form that are trusted in place of those of the system. */
  readonly ca: string | null;
  readonly onCertificate?: ((end: CertificateEnd) => void) | undefined;
}

export interface MqttClient extends Omit<ConnectPacket, "keepAliveSec"> {
  /** Retained: the broker has kept it from before the subscription. */
  readonly onMessage?: (topic: string, payload: string, isRetained: boolean) => void;
}

export interface MqttConnection {
  /** Resolves when the broker has accepted the message. */
  readonly publish: (topic: string, payload: string, retain: boolean) => Promise<void>;
  /** Resolves when the broker has accepted the subscription; what matches goes to `onMessage`. */
  readonly subscribe: (filter: string) => Promise<void>;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<Error>;
  /** Ends it in an orderly manner: the broker does not send the will. */
  readonly close: () => void;
}

/** The broker refused the connection, with the code of MQTT 3.1.1. */
export class MqttRefused extends Error {
  override readonly name = "MqttRefused";
  readonly code: number;
  constructor(code: number) {
    super(`the broker refused the connection with code ${code}`);
    this.code = code;
  }
}

/** A connection that the broker has accepted. The signal limits how long that takes; afterwards it has no effect. */
export async function connectMqtt(
  broker: MqttBroker,
  { onMessage, ...client }: MqttClient,
  signal: AbortSignal,
): Promise<MqttConnection> {
  const socket = opened(broker);
  const waiting = new Map<number, Waiting>();
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Error>();
  let lastId = 0;
  let receivedMs = performance.now();
  let failure: Error | undefined;

  function take(packet: BrokerPacket): void {
    if (packet.kind === "connected") {
      if (packet.code === 0) started.resolve();
      else socket.destroy(new MqttRefused(packet.code));
    } else if (packet.kind === "message") {
      if (packet.id !== null) socket.write(publishedPacket(packet.id));
      onMessage?.(packet.topic, packet.payload, packet.isRetained);
    } else if (packet.kind !== "alive") {
      const request = waiting.get(packet.id);
      waiting.delete(packet.id);
      if (packet.kind === "subscribed" && !packet.isAccepted)
        request?.reject(new Error("the broker refused the subscription"));
      else request?.resolve();
    }
  }
  function request(bytesOf: (id: number) => Buffer): Promise<void> {
    if (failure) return Promise.reject(failure);
    do lastId = (lastId % 0xffff) + 1;
    while (waiting.has(lastId));
    const answered = Promise.withResolvers<void>();
    waiting.set(lastId, answered);
    socket.write(bytesOf(lastId));
    return answered.promise;
  }

  let received: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    receivedMs = performance.now();
    received = Buffer.concat([received, chunk]);
    try {
      for (let next = firstPacket(received); next; next = firstPacket(received)) {
        received = received.subarray(next.size);
        take(next.packet);
      }
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
  socket.on("error", (error) => {
    failure ??= tlsError(broker.pqMode, error);
    if ((error as { readonly code?: string }).code === "CERT_HAS_EXPIRED") broker.onCertificate?.("expired");
  });
  socket.on("close", () => {
    failure ??= new Error("the broker closed the connection");
    clearInterval(alive);
    for (const it of waiting.values()) it.reject(failure);
    waiting.clear();
    started.reject(failure);
    ended.resolve(failure);
  });
  socket.once(broker.security === "tls" ? "secureConnect" : "connect", () => {
    const end = broker.security === "tls" ? (socket as TLSSocket).getPeerX509Certificate()?.validToDate : undefined;
    if (end) broker.onCertificate?.(end);
    socket.write(connectPacket({ ...client, keepAliveSec }));
  });
  const alive = setInterval(() => {
    if (performance.now() - receivedMs > 1000 * keepAliveSec) socket.destroy(new Error("the broker does not answer"));
    else socket.write(pingPacket());
  }, 500 * keepAliveSec).unref();

  const abandon = () => socket.destroy(new Error("the broker does not answer in time"));
  signal.addEventListener("abort", abandon);
  if (signal.aborted) abandon();
  try {
    await started.promise;
  } finally {
    signal.removeEventListener("abort", abandon);
  }
  return {
    publish: (topic, payload, retain) => request((id) => publishPacket(id, topic, payload, retain)),
    subscribe: (filter) => request((id) => subscribePacket(id, filter)),
    ended: ended.promise,
    close: () => {
      socket.end(disconnectPacket());
      // A broker that does not close its side must not keep the connection.
      setTimeout(() => socket.destroy(), closingMs).unref();
    },
  };
}

/** Publishes one message in a connection of its own. Resolves when the broker has accepted the message. */
export async function publishOnce(
  broker: MqttBroker,
  { topic, payload, ...client }: Omit<MqttClient, "will"> & { readonly topic: string; readonly payload: string },
  signal: AbortSignal,
): Promise<void> {
  const connection = await connectMqtt(broker, { ...client, will: null }, signal);
  const onAbort = () => connection.close();
  signal.addEventListener("abort", onAbort);
  try {
    await connection.publish(topic, payload, false);
  } catch (error) {
    throw signal.aborted ? new Error("the broker does not answer in time", { cause: error }) : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    connection.close();
  }
}

type Waiting = Pick<PromiseWithResolvers<void>, "resolve" | "reject">;

/** A broker notices after one and a half times as long that a client is gone. */
const keepAliveSec = 30;
const closingMs = 1000;

function opened({ pqMode, host, port, security, ca }: MqttBroker): Socket {
  if (security === "none") return connectPlain({ host, port, noDelay: true });
  return connectTls(pqMode, {
    host,
    port,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== null && { ca }),
  });
}
