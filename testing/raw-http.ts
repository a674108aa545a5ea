import { connect, type Socket } from "node:net";
import { expectConforming } from "./conformity.ts";

/** A response parsed from the bytes of the connection, without an HTTP library. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The code of the error envelope, which is validated against its schema. */
  readonly code: string;
}

/** A connection on which a test sends exactly the bytes it chooses. */
export interface RawConnection {
  send(bytes: string | Uint8Array): void;
  /** Half-closes the connection: the server may still send. */
  end(): void;
  /** The next complete response. Rejects if the connection closes before. */
  answer(options?: { readonly toHead?: boolean }): Promise<WireAnswer>;
  /** Resolves when the server has closed the connection, to the bytes that no `answer` has taken. */
  rest(): Promise<string>;
  readonly socket: Socket;
  [Symbol.dispose](): void;
}

export function openRawConnection(origin: string): RawConnection {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port), noDelay: true });
  let received = Buffer.alloc(0);
  let closedWith: Error | undefined;
  let wake: () => void = () => {};
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    wake();
  });
  socket.on("error", (error) => void (closedWith = error));
  socket.on("close", () => {
    closedWith ??= new Error(
      `The connection is closed; the last bytes were ${JSON.stringify(received.toString("latin1").slice(0, 500))}`,
    );
    wake();
  });
  const more = () => new Promise<void>((resolve) => void (wake = resolve));

  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    answer: async ({ toHead = false } = {}) => {
      while (true) {
        const whole = takeAnswer(received, toHead);
        if (whole) {
          received = received.subarray(whole.bytes);
          return whole.answer;
        }
        if (closedWith) throw closedWith;
        await more();
      }
    },
    rest: async () => {
      while (!closedWith) await more();
      return received.toString();
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** One request on a new connection. */
export async function sendRaw(origin: string, bytes: string | Uint8Array): Promise<WireAnswer> {
  using connection = openRawConnection(origin);
  connection.send(bytes);
  return await connection.answer();
}

/** A request as text: request line, headers, body, with CRLF. */
export const wire = (first: string, headers: Readonly<Record<string, string>> = {}, body = ""): string =>
  [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", body].join("\r\n");

/** For responses with a content-length; event streams have `event-stream.ts`. */
function takeAnswer(received: Buffer, toHead: boolean): { answer: WireAnswer; bytes: number } | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [first = "", ...lines] = received.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!status) throw new Error(`Not a status line: ${first}`);
  const headers = new Headers(lines.map((it) => it.split(/: ?(.*)/s, 2) as [string, string]));
  const length = toHead || status === 204 || status === 100 ? 0 : Number(headers.get("content-length"));
  const bytes = headEnd + 4 + length;
  if (received.length < bytes) return undefined;
  const text = received.subarray(headEnd + 4, bytes).toString();
  return { answer: { status, headers, text, code: codeOf(status, headers, text) }, bytes };
}

function codeOf(status: number, headers: Headers, text: string): string {
  if (status < 400 || text === "") return "";
  // For paths outside the API the OpenAPI document defines the error envelope only.
  expectConforming({ method: "GET", path: "/", status, contentType: headers.get("content-type"), body: text });
  return (JSON.parse(text) as { error: { code: string } }).error.code;
}
