import type { Page, Request } from "playwright-core";

/** Records errors and unexpected requests of a page. */
export interface Guard {
  /** Errors since the last call. A page without faults has none. */
  complaints(): string[];
}

export function watchPage(page: Page, origin: string): Guard {
  let heard: string[] = [];
  const hear = (text: string) => void heard.push(text);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) hear(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => hear(`page error: ${error.message}`));
  page.on("request", (request) => {
    if (!isOurs(request.url(), origin)) hear(`request outside: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    if (!isGivenUp(request)) hear(`request failed: ${request.url()} ${request.failure()?.errorText}`);
  });
  return {
    complaints: () => {
      const told = heard;
      heard = [];
      return told;
    },
  };
}

/** Addresses without a network request. */
const isOurs = (url: string, origin: string): boolean =>
  /^(?:data|blob|about):/.test(url) || url.startsWith(`${origin}/`);

/** Leaving a page aborts its open requests, the event stream among them. */
const isGivenUp = (request: Request): boolean => request.failure()?.errorText === "net::ERR_ABORTED";
