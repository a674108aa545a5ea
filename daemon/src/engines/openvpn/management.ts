import type { Line } from "../../system/processes.ts";
import type { System } from "../../system/system.ts";
import { statusAfter, parseMessage, type ManagementMessage, initialStatus, type Status } from "./management.parse.ts";

interface Needs {
  readonly system: System;
  readonly socket: string;
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** It said something that somebody should look at. */
  readonly onChange: () => void;
}

/** A conversation with one client. It goes on until it is closed, however often the line breaks. */
export interface ManagementClient {
  readonly status: () => Status;
  /** Whether a client that is held may be let go: one that was refused waits, so that nobody is locked out. */
  readonly mayRelease: () => boolean;
  answer(credentials: { readonly username: string; readonly password: string }): void;
  release(): void;
  /** Connects again with what it has. */
  restart(): void;
  close(): void;
}

export function openManagement({ system, socket, nowMs, wallMs, onChange }: Needs): ManagementClient {
  let status = initialStatus;
  let line: Line | undefined;
  let again: NodeJS.Timeout | undefined;
  let alarm: NodeJS.Timeout | undefined;
  let releaseAtMs = 0;
  let isClosed = false;

  function connect(): void {
    line = system.connectUnix(
      socket,
      (text) => hear(parseMessage(text)),
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

  function hear(said: ManagementMessage): void {
    const before = status;
    status = statusAfter(status, said, wallMs());
    if (said.kind === "refused") rest();
    if (before.rejections > 0 && status.rejections === 0) line?.write("hold off");
    if (said.kind !== "bytes" && said.kind !== "other") onChange();
  }

  /**
   * Held, it does not try again and again with what was refused. It looks at that only when it begins to wait for its
   * next attempt, which it has done by now: so there are two.
   */
  function rest(): void {
    line?.write("hold on");
    const restMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** (status.rejections - 1));
    releaseAtMs = nowMs() + restMs;
    clearTimeout(alarm);
    alarm = setTimeout(onChange, restMs);
    alarm.unref();
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
      clearTimeout(alarm);
      line?.close();
    },
  };
}

const reconnectMs = 200;
const byteCountSec = 5;
const firstBackoffMs = 30_000;
const maxBackoffMs = 600_000;

const quoted = (text: string): string => `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
