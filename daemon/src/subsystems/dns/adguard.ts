/** Sends one HTTP request and returns the response. */
export type SendHttp = (request: {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
}) => Promise<{ readonly status: number; readonly text: string }>;

/** URL and credentials of an external filter's API. */
export interface FilterApi {
  readonly url: string;
  readonly login: { readonly username: string; readonly password: string } | null;
}

/** The status that it reports. */
export interface FilterAnswers {
  readonly running: boolean;
  readonly protection_enabled: boolean;
  readonly protection_paused_ms: number | null;
  readonly version: string;
}

const timeoutMs = 3000;

/** Client of AdGuard Home's published API (version 0.107): status and protection. */
export function adguard(sendHttp: SendHttp) {
  async function send({ url, login }: FilterApi, method: "GET" | "POST", path: string, sent?: object): Promise<string> {
    const { status, text } = await sendHttp({
      method,
      url: `${url.replace(/\/+$/, "")}/control${path}`,
      headers: {
        accept: "application/json",
        ...(login && { authorization: `Basic ${toBase64(`${login.username}:${login.password}`)}` }),
        ...(sent && { "content-type": "application/json" }),
      },
      ...(sent && { body: JSON.stringify(sent) }),
      timeoutMs,
    });
    if (status === 401 || status === 403) throw new Error("it refused the username and password");
    if (status < 200 || status >= 300) throw new Error(`it answered ${status}`);
    return text;
  }
  return {
    status: async (api: FilterApi): Promise<FilterAnswers> => toAnswers(await send(api, "GET", "/status")),
    /** Permanently; the gateway does not use temporary pauses. */
    setProtection: async (api: FilterApi, enabled: boolean): Promise<void> => {
      await send(api, "POST", "/protection", { enabled });
    },
  };
}

/** Its documentation guarantees these fields. A response without them comes from another program. */
function toAnswers(text: string): FilterAnswers {
  const { running, protection_enabled, protection_disabled_duration, version } = parsed(text);
  if (typeof running !== "boolean" || typeof protection_enabled !== "boolean" || typeof version !== "string")
    throw new Error("the server is not AdGuard Home");
  const pausedMs = typeof protection_disabled_duration === "number" ? Math.round(protection_disabled_duration) : 0;
  return {
    running,
    protection_enabled,
    protection_paused_ms: protection_enabled || pausedMs <= 0 ? null : pausedMs,
    version,
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // Probably an HTML page; the missing fields are reported.
  }
}

const toBase64 = (text: string): string => Buffer.from(text).toString("base64");
