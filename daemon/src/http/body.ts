import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem } from "@portcullis/contract/problem";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** JSON in UTF-8, or text where an endpoint takes text. Anything else is refused before a handler sees it. */
export function acceptKnownBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  for (const [type, read] of Object.entries({ "application/json": parse, "text/plain": decode }))
    app.addContentTypeParser(type, { parseAs: "buffer" }, (request: FastifyRequest, bytes: Buffer, done) => {
      try {
        refuseOther(request, type);
        done(null, read(bytes));
      } catch (error) {
        done(error as Error);
      }
    });
}

function refuseOther({ headers, routeOptions }: FastifyRequest, type: string): void {
  const { takes = "application/json" } = routeOptions.config;
  if (type !== takes) throw new Problem("unsupported_media_type", { takes });
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";
  if (!/^utf-?8$/i.test(charset)) throw new Problem("unsupported_media_type", { charset: charset.slice(0, 40) });
  if (headers["content-encoding"] !== undefined)
    throw new Problem("unsupported_media_type", { reason: "compressed bodies are not taken" });
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes), refusePrototype);
  } catch (cause) {
    throw new Problem("invalid_json", {}, { cause });
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem("invalid_request", {}, { message: "The body is not text in UTF-8", cause });
  }
}

/** A field called __proto__ has no honest use and can poison objects further in. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new SyntaxError("__proto__ is not a field");
  return value;
}
