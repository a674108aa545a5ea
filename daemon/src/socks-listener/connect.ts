import { connect, type Socket } from "node:net";
import type { Sources } from "../engines/socks-listener/socks-listener.model.ts";
import { sourceFor } from "./names.ts";

/**
 * A connection to the first address that accepts one. The next is tried when one fails, or after a moment beside it: a host
 * whose IPv6 does not work is reached over IPv4 without a long wait. Rejects with the error of the last attempt.
 */
export function connectToAny(
  addresses: readonly string[],
  port: number,
  { sources, signal }: { readonly sources: Sources; readonly signal: AbortSignal },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const attempts = new Set<Socket>();
    const left = [...addresses];
    let timer: NodeJS.Timeout | undefined;

    const end = (chosen?: Socket): void => {
      clearTimeout(timer);
      left.length = 0;
      signal.removeEventListener("abort", onAbort);
      for (const it of attempts) if (it !== chosen) it.destroy();
      attempts.clear();
    };
    const onAbort = (): void => {
      end();
      reject(new Error("The client is gone"));
    };
    const attemptNext = (): void => {
      clearTimeout(timer);
      const host = left.shift();
      if (host === undefined) return;
      const localAddress = sourceFor(host, sources);
      const socket = connect({ host, port, localAddress, allowHalfOpen: true, noDelay: true });
      attempts.add(socket);
      socket.setTimeout(connectMs, () => socket.destroy(new Error("timeout")));
      socket.once("connect", () => {
        socket.setTimeout(0);
        socket.removeListener("error", onError);
        end(socket);
        resolve(socket);
      });
      const onError = (error: Error): void => {
        attempts.delete(socket);
        if (left.length > 0) return attemptNext();
        if (attempts.size > 0) return;
        end();
        reject(error);
      };
      socket.once("error", onError);
      timer = setTimeout(attemptNext, besideMs);
    };

    signal.addEventListener("abort", onAbort);
    if (signal.aborted || left.length === 0) onAbort();
    else attemptNext();
  });
}

const connectMs = 30_000;
const besideMs = 300;
