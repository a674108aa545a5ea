import type { Socket } from "node:net";
import { envelope, Problem, type ProblemCode, problems } from "@portcullis/contract/problem";

/** Error codes of Fastify and Node → problem codes of the contract. */
const translations: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "payload_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "invalid_request",
  FST_ERR_BAD_URL: "invalid_request",
  FST_ERR_MAX_PARAM_LENGTH: "invalid_request",
  FST_ERR_ASYNC_CONSTRAINT: "internal",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
  HPE_HEADER_OVERFLOW: "invalid_request",
};

/** Any thrown value as a problem. An unexpected error is a bug: its cause is logged and not sent to the caller. */
export function toProblem(error: unknown, requestId: string): Problem {
  if (error instanceof Problem) return error;
  const { code = "", statusCode = 500 } = (error ?? {}) as { code?: string; statusCode?: number };
  const known = translations[code];
  if (known && known !== "internal") return new Problem(known, {}, { cause: error });
  if (statusCode >= 400 && statusCode < 500)
    return new Problem("invalid_request", { reason: code.toLowerCase() }, { cause: error });
  const message = `The gateway has a bug; its log has the cause at the request id ${requestId}`;
  return new Problem("internal", { request_id: requestId }, { cause: error, message });
}

/** Answers bytes that are not a valid request with the error envelope, and closes the connection. */
export function refuseSocket(error: unknown, socket: Socket): void {
  const { code } = error as { code?: string };
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(
    rawAnswer(new Problem(translations[code ?? ""] ?? "invalid_request", { reason: (code ?? "").toLowerCase() })),
  );
}

export function rawAnswer(problem: Problem): string {
  const body = JSON.stringify(envelope(problem));
  return [
    `HTTP/1.1 ${problems[problem.code].status} ${reasonPhrase(problem.status)}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

const reasonPhrase = (status: number): string =>
  ({ 400: "Bad Request", 405: "Method Not Allowed", 408: "Request Timeout" })[status] ?? "Error";
