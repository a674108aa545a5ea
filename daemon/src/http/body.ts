import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem } from "@portcullis/contract/problem";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Text in YAML → its value; throws a problem. */
export type ReadYaml = (text: string) => unknown;

/** Accepts JSON in UTF-8, or YAML or plain text for endpoints that take it. Other bodies are refused before the handler runs. */
export function acceptKnownBodies(app: FastifyInstance, readYaml: ReadYaml): void {
  app.removeAllContentTypeParsers();
  const yaml = (bytes: Buffer) => readYaml(decode(bytes));
  for (const [type, read] of Object.entries({
    "application/json": parse,
    "text/plain": decode,
    "application/yaml": yaml,
  }))
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
  const { requestType = "application/json", yaml } = routeOptions.config;
  const isYaml = yaml === true && type === "application/yaml";
  if (type !== requestType && !isYaml) throw new Problem("unsupported_media_type", { expected: requestType });
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";
  if (!/^utf-?8$/i.test(charset)) throw new Problem("unsupported_media_type", { charset: charset.slice(0, 40) });
  if (headers["content-encoding"] !== undefined)
    throw new Problem("unsupported_media_type", { reason: "compressed bodies are not accepted" });
}

/** More than any body of the contract has. Without it the parser would follow a million brackets before it fails. */
const maxDepth = 32;

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    refuseDepth(bytes);
    const text = utf8.decode(bytes);
    // The reviver costs more than parsing; it is used only if the text can contain the name.
    return /__proto__|\\u/.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text);
  } catch (cause) {
    throw new Problem("invalid_json", {}, { cause });
  }
}

/** Brackets inside of strings do not count. Bytes of multi-byte UTF-8 characters are never equal to one of these. */
function refuseDepth(bytes: Buffer): void {
  const [quote, escape, openList, closeList, openMap, closeMap] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
  let depth = 0;
  let isText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (isText && byte === escape) index += 1;
    else if (byte === quote) isText = !isText;
    else if (isText) continue;
    else if (byte === openList || byte === openMap) depth += 1;
    else if (byte === closeList || byte === closeMap) depth -= 1;
    if (depth > maxDepth) throw new SyntaxError("nested too deeply");
  }
}

/** Enough for `{}` and some white space: some clients send it where no body is expected. */
export const emptyBodyBytes = 16;
/** Enough for any login: the limit for endpoints without a credential. */
export const anonymousBodyBytes = 4096;

/** Refuses an unexpected body by its Content-Length, before it is read. */
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

/** A field named __proto__ has no legitimate use and enables prototype pollution. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new SyntaxError("__proto__ is not a field");
  return value;
}
