import { execFile } from "node:child_process";

/** Sends the state of the daemon to systemd (sd_notify). */
export interface SystemdNotifier {
  /** The gateway answers, and the rules of the published revision are in force or were tried. */
  ready(status: string): void;
  stopping(): void;
}

interface Environment {
  readonly PATH?: string | undefined;
  readonly NOTIFY_SOCKET?: string | undefined;
  readonly WATCHDOG_USEC?: string | undefined;
}

/**
 * Node has no datagram sockets for Unix paths, so systemd-notify sends each message, as root in the name of the daemon's own
 * process: the unit accepts no message of another one. Without systemd nothing is sent.
 */
export function systemdNotifier({ PATH, NOTIFY_SOCKET, WATCHDOG_USEC }: Environment): SystemdNotifier {
  if (NOTIFY_SOCKET === undefined) return { ready: () => {}, stopping: () => {} };
  const send = (...words: string[]): void => {
    const env = { NOTIFY_SOCKET, PATH };
    // A failure shows at systemd: the daemon does not get ready, or its watchdog restarts it.
    execFile("systemd-notify", [`--pid=${process.pid}`, ...words], { env }, () => {});
  };
  // From the event loop: a daemon that hangs sends none, and is restarted.
  const beatMs = Number(WATCHDOG_USEC ?? 0) / 1000 / 3;
  if (beatMs > 0) setInterval(() => send("WATCHDOG=1"), beatMs).unref();
  return {
    ready: (status) => send("--ready", `--status=${status}`),
    stopping: () => send("STOPPING=1"),
  };
}
