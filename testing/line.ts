import { connect, type Socket } from "node:net";
import { expectConforming } from "./conformity.ts";

/** An answer read off the wire by nobody's HTTP library but ours. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The code in the envelope. Reading it holds the answer against the envelope's schema. */
  readonly code: string;
}

/** A connection on which a test says exactly the bytes it wants. */
export interface Line {
  say(bytes: string | Uint8Array): void;
  /** Our half is closed; the other side may still speak. */
  hangUp(): void;
  /** The next whole answer. Fails when the line goes dead before it is complete. */
  answer(options?: { readonly toHead?: boolean }): Promise<WireAnswer>;
  /** Everything that came and was not taken as an answer yet, once the other side has hung up. */
  rest(): Promise<string>;
  readonly socket: Socket;
  [Symbol.dispose](): void;
}

export function openLine(origin: string): Line {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port), noDelay: true });
  let received = Buffer.alloc(0);
  let dead: Error | undefined;
  let wake: () => void = () => {};
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    wake();
  });
  socket.on("error", (error) => void (dead = error));
  socket.on("close", () => {
    dead ??= new Error(`The line is dead; it last said ${JSON.stringify(received.toString("latin1").slice(0, 500))}`);
    wake();
  });
  const more = () => new Promise<void>((resolve) => void (wake = resolve));

  return {
    socket,
    say: (bytes) => void socket.write(bytes),
    hangUp: () => void socket.end(),
    answer: async ({ toHead = false } = {}) => {
      while (true) {
        const whole = takeAnswer(received, toHead);
        if (whole) {
          received = received.subarray(whole.bytes);
          return whole.answer;
        }
        if (dead) throw dead;
        await more();
      }
    },
    rest: async () => {
      while (!dead) await more();
      return received.toString();
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** One request on a line of its own. */
export async function ask(origin: string, bytes: string | Uint8Array): Promise<WireAnswer> {
  using line = openLine(origin);
  line.say(bytes);
  return await line.answer();
}

/** A request as text: its first line, its headers, its body. Line ends are the wire's. */
export const wire = (first: string, headers: Readonly<Record<string, string>> = {}, body = ""): string =>
  [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", body].join("\r\n");

/** Answers here are short and have a length; a stream is somebody else's to read. */
function takeAnswer(received: Buffer, toHead: boolean): { answer: WireAnswer; bytes: number } | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [first = "", ...lines] = received.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!status) throw new Error(`This is no status line: ${first}`);
  const headers = new Headers(lines.map((it) => it.split(/: ?(.*)/s, 2) as [string, string]));
  const length = toHead || status === 204 || status === 100 ? 0 : Number(headers.get("content-length"));
  const bytes = headEnd + 4 + length;
  if (received.length < bytes) return undefined;
  const text = received.subarray(headEnd + 4, bytes).toString();
  return { answer: { status, headers, text, code: codeOf(status, headers, text) }, bytes };
}

function codeOf(status: number, headers: Headers, text: string): string {
  if (status < 400 || text === "") return "";
  // Outside the API the document promises the envelope and nothing else, which is what is asked here.
  expectConforming({ method: "GET", path: "/", status, contentType: headers.get("content-type"), body: text });
  return (JSON.parse(text) as { error: { code: string } }).error.code;
}
