import { type ClientHttp2Session, connect } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Route } from "../engines/dns-proxy/dns-proxy.model.ts";
import { type ChannelNeeds, connectMs, idleMs, openChannel, secured } from "./channel.ts";
import { headerBytes, withId } from "./packet.ts";
import type { Connection } from "./connection.ts";

/** DNS over HTTPS (RFC 8484): one request per query, all over one connection. */
export function overHttp2(route: Route, { issuers, nowMs, onOpen }: ChannelNeeds): Connection {
  let lastReceivedAtMs = nowMs();
  let end: Error | undefined;
  const socket = openChannel(route, issuers) as TLSSocket;
  const host = route.serverName ?? (route.address.includes(":") ? `[${route.address}]` : route.address);
  const authority = route.port === 443 ? host : `${host}:${route.port}`;
  const session: ClientHttp2Session = connect(`https://${authority}`, { createConnection: () => socket });
  const limit = setTimeout(() => close(new Error("no connection in time")), connectMs);

  function close(reason: Error): void {
    if (end) return;
    end = reason;
    clearTimeout(limit);
    session.destroy(reason);
    socket.destroy();
  }

  socket.once("secureConnect", () => {
    if (socket.alpnProtocol !== "h2") return close(new Error("the server does not support HTTP/2"));
    clearTimeout(limit);
    lastReceivedAtMs = nowMs();
    onOpen(secured(socket));
  });
  socket.on("error", close);
  session.on("error", close);
  session.on("goaway", () => (end ??= new Error("the server closed the connection"))); // Earlier queries may still be answered.
  session.on("close", () => close(new Error("the server closed the connection")));
  session.setTimeout(idleMs, () => close(new Error("idle")));

  return {
    query: (message, onAnswer, onFailure) => {
      if (end) return onFailure(end);
      const body = withId(message, 0); // So that equal queries are equal requests.
      const request = session.request({
        ":method": "POST",
        ":path": route.path,
        accept: mediaType,
        "content-type": mediaType,
        "content-length": body.length,
      });
      const chunks: Buffer[] = [];
      let [status, size] = [0, 0];
      request.setTimeout(requestMs, () => request.close());
      request.on("response", (headers) => (status = headers[":status"] ?? 0));
      request.on("data", (chunk: Buffer) => {
        lastReceivedAtMs = nowMs();
        size += chunk.length;
        if (size > maxBytes) request.close();
        else chunks.push(chunk);
      });
      request.on("error", () => {}); // The close event follows.
      request.on("close", () => {
        const answer = Buffer.concat(chunks);
        if (status === 200 && answer.length >= headerBytes && size <= maxBytes) onAnswer(answer);
        else onFailure(end ?? new Error(status === 200 || status === 0 ? "no answer" : `HTTP status ${status}`));
      });
      request.end(body);
    },
    close,
    isOpen: () => end === undefined,
    lastReceivedAtMs: () => lastReceivedAtMs,
  };
}

const mediaType = "application/dns-message";
const maxBytes = 0xffff;
const requestMs = 5000;
