import type { Line } from "../../system/processes.ts";
import type { System } from "../../system/system.ts";
import { statusAfter, parseMessage, type ManagementMessage, initialStatus, type Status } from "./management.parse.ts";

interface Needs {
  readonly system: System;
  readonly socket: string;
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** A message changed the state: the engine should reconcile. */
  readonly onChange: () => void;
}

/** The management connection of one client. It reconnects until it is closed. */
export interface ManagementClient {
  readonly status: () => Status;
  /** Whether a held client may be released: after a rejection it waits, so that the account is not locked. */
  readonly mayRelease: () => boolean;
  answer(credentials: { readonly username: string; readonly password: string }): void;
  release(): void;
  /** Connects again with the same settings. */
  restart(): void;
  close(): void;
}

export function openManagement({ system, socket, nowMs, wallMs, onChange }: Needs): ManagementClient {
  let status = initialStatus;
  let line: Line | undefined;
  let again: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let releaseAtMs = 0;
  let isClosed = false;

  function connect(): void {
    line = system.connectUnix(
      socket,
      (text) => onMessage(parseMessage(text)),
      () => {
        line = undefined;
        if (isClosed) return;
        again = setTimeout(connect, reconnectMs);
        again.unref();
      },
    );
    line.write("state on all");
    line.write(`bytecount ${byteCountSec}`);
  }

  function onMessage(message: ManagementMessage): void {
    const before = status;
    status = statusAfter(status, message, wallMs());
    if (message.kind === "refused") startBackoff();
    if (before.rejections > 0 && status.rejections === 0) line?.write("hold off");
    if (message.kind !== "bytes" && message.kind !== "other") onChange();
  }

  /**
   * A held client does not repeat a rejected login. The hold takes effect when it begins to wait for its
   * next attempt, which it has done already: so there are two attempts.
   */
  function startBackoff(): void {
    line?.write("hold on");
    const backoffMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** (status.rejections - 1));
    releaseAtMs = nowMs() + backoffMs;
    clearTimeout(timer);
    timer = setTimeout(onChange, backoffMs);
    timer.unref();
  }

  connect();
  return {
    status: () => status,
    mayRelease: () => status.isHeld && nowMs() >= releaseAtMs,
    answer: ({ username, password }) => {
      const about = status.passwordRequest;
      if (about === null) return;
      status = { ...status, passwordRequest: null };
      line?.write(`username ${quoted(about)} ${quoted(username)}`);
      line?.write(`password ${quoted(about)} ${quoted(password)}`);
    },
    release: () => {
      status = { ...status, isHeld: false };
      line?.write("hold release");
    },
    restart: () => line?.write("signal SIGUSR1"),
    close: () => {
      isClosed = true;
      clearTimeout(again);
      clearTimeout(timer);
      line?.close();
    },
  };
}

const reconnectMs = 200;
const byteCountSec = 5;
const firstBackoffMs = 30_000;
const maxBackoffMs = 600_000;

const quoted = (text: string): string => `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
