import type { Page, Request } from "playwright-core";

/** Records errors and unexpected requests of a page. */
export interface Guard {
  /** Errors since the last call. A page without faults has none. */
  complaints(): string[];
}

export function watchPage(page: Page, origin: string): Guard {
  let errors: string[] = [];
  const record = (text: string) => void errors.push(text);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) record(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => record(`page error: ${error.message}`));
  page.on("request", (request) => {
    if (!isOurs(request.url(), origin)) record(`request outside: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    if (!isAborted(request)) record(`request failed: ${request.url()} ${request.failure()?.errorText}`);
  });
  return {
    complaints: () => {
      const reported = errors;
      errors = [];
      return reported;
    },
  };
}

/** Addresses without a network request. */
const isOurs = (url: string, origin: string): boolean =>
  /^(?:data|blob|about):/.test(url) || url.startsWith(`${origin}/`);

/** Leaving a page aborts its open requests, the event stream among them. */
const isAborted = (request: Request): boolean => request.failure()?.errorText === "net::ERR_ABORTED";
