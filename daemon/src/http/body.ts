import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem } from "@portcullis/contract/problem";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** JSON in UTF-8 and nothing else. Anything that is not exactly that is refused before a handler sees it. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    (request: FastifyRequest, bytes: Buffer, done) => {
      try {
        done(null, parse(request, bytes));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

function parse({ headers }: FastifyRequest, bytes: Buffer): unknown {
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";
  if (!/^utf-?8$/i.test(charset)) throw new Problem("unsupported_media_type", { charset: charset.slice(0, 40) });
  if (headers["content-encoding"] !== undefined)
    throw new Problem("unsupported_media_type", { reason: "compressed bodies are not taken" });
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes), refusePrototype);
  } catch (cause) {
    throw new Problem("invalid_json", {}, { cause });
  }
}

/** A field called __proto__ has no honest use and can poison objects further in. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new SyntaxError("__proto__ is not a field");
  return value;
}
