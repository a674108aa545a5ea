import type { Send } from "@portcullis/contract/client";

/** The line of the terminal that shows that something is being waited for. */
export interface ProgressLine {
  readonly show: (text: string) => void;
  readonly clear: () => void;
}

const firstMs = 1500;
const stepMs = 1000;

/** Sends requests; while one takes long, the line says so, with the seconds. */
export const withProgress =
  (send: Send, line: ProgressLine): Send =>
  async (request) => {
    const startedMs = performance.now();
    let isShown = false;
    const show = () => {
      isShown = true;
      line.show(
        `Waiting for the gateway, ${Math.round((performance.now() - startedMs) / 1000)} s. Ctrl-C ends this client only.`,
      );
      timer = setTimeout(show, stepMs);
    };
    let timer = setTimeout(show, firstMs);
    try {
      return await send(request);
    } finally {
      clearTimeout(timer);
      if (isShown) line.clear();
    }
  };
