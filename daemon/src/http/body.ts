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
  const { requestType = "application/json" } = routeOptions.config;
  if (type !== requestType) throw new Problem("unsupported_media_type", { expected: requestType });
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";
  if (!/^utf-?8$/i.test(charset)) throw new Problem("unsupported_media_type", { charset: charset.slice(0, 40) });
  if (headers["content-encoding"] !== undefined)
    throw new Problem("unsupported_media_type", { reason: "compressed bodies are not taken" });
}

/** More than any body of the contract has. The parser would follow a million brackets before it says no. */
const maxDepth = 32;

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    refuseDepth(bytes);
    const text = utf8.decode(bytes);
    // Looking at every field costs more than reading them all; only a text that can spell the name is worth it.
    return /__proto__|\\u/.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text);
  } catch (cause) {
    throw new Problem("invalid_json", {}, { cause });
  }
}

/** Brackets inside of texts do not count. Bytes of UTF-8 beyond ASCII never look like one of these. */
function refuseDepth(bytes: Buffer): void {
  const [quote, escape, openList, closeList, openMap, closeMap] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
  let depth = 0;
  let isText = false;
  for (let place = 0; place < bytes.length; place += 1) {
    const byte = bytes[place];
    if (isText && byte === escape) place += 1;
    else if (byte === quote) isText = !isText;
    else if (isText) continue;
    else if (byte === openList || byte === openMap) depth += 1;
    else if (byte === closeList || byte === closeMap) depth -= 1;
    if (depth > maxDepth) throw new SyntaxError("nested too deeply");
  }
}

/** Room for `{}` and some white space: clients send it where no body is expected. */
export const emptyBodyBytes = 16;
/** Enough for any login; a client without a credential has no use for more. */
export const anonymousBodyBytes = 4096;

/** Says no to a body that is announced and not taken, before a byte of it is read. */
export function refuseBody({ headers }: FastifyRequest): void {
  if (Number(headers["content-length"] ?? 0) > emptyBodyBytes) throw takesNoBody();
}

export const takesNoBody = (): Problem =>
  new Problem("invalid_request", {}, { message: "This endpoint takes no body" });

export const isEmptyMap = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

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
