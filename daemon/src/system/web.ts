/** One HTTP request, within the limit. */
export async function requestWeb({
  method,
  url,
  headers,
  body,
  timeoutMs,
}: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
}): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(url, {
      method,
      headers,
      // The request may contain a password for this server only.
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body }),
    });
    return { status: response.status, text: await firstOf(response) };
  } catch (cause) {
    throw new Error(reasonOf(cause), { cause });
  }
}

/** One POST of JSON whose answer is shown to people: its beginning is enough, and a longer one is no failure. No redirect is followed. */
export async function postWeb({
  url,
  headers,
  body,
  signal,
}: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}): Promise<{ readonly status: number; readonly text: string; readonly retryAfter: string | null }> {
  try {
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    const retryAfter = response.headers.get("retry-after");
    return { status: response.status, text: await beginningOf(response), retryAfter };
  } catch (cause) {
    throw new Error(reasonOf(cause), { cause });
  }
}

const maxBeginningBytes = 1 << 14;

async function beginningOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes > maxBeginningBytes) break; // Which ends the transfer.
  }
  return Buffer.concat(parts).subarray(0, maxBeginningBytes).toString();
}

const maxTextBytes = 1 << 20;

/** A server that never ends its answer must not fill the memory. */
async function firstOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > maxTextBytes) throw new Error("the answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** fetch says "fetch failed" and puts the reason below it. */
function reasonOf(failure: unknown): string {
  const { cause, message, name } = failure as Error;
  if (name === "TimeoutError" || name === "AbortError") return "it does not answer in time";
  const { code, message: reason } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? reason ?? message;
}
