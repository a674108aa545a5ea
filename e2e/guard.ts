import type { Page, Request } from "playwright-core";

/** Hears everything a browser complains of while a page is used. */
export interface Guard {
  /** What was heard since last asked. A page in order leaves nothing. */
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

/** Addresses that lead nowhere are no requests to anybody. */
const isOurs = (url: string, origin: string): boolean =>
  /^(?:data|blob|about):/.test(url) || url.startsWith(`${origin}/`);

/** Who leaves a page gives up what was still on its way, first of all the stream of events. */
const isGivenUp = (request: Request): boolean => request.failure()?.errorText === "net::ERR_ABORTED";
