import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Host } from "../lab/namespaces.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { type Guard, watchPage } from "./browser-errors.ts";

/** Chromium in the network namespace of a lab host: its requests leave through that host's interface only. */
export interface LabBrowser extends AsyncDisposable {
  /** A separate browser context: own cookies, own storage. */
  visit(options?: BrowserContextOptions): Promise<Visit>;
}

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly guard: Guard;
}

/** Upper bound for any reaction of a page under load. Latency requirements are checked separately. */
const hangMs = 60_000;

export const desk = { width: 1280, height: 800 } as const;
export const phone = { width: 360, height: 640 } as const;

/** Playwright talks to the browser through a pipe, so the two may be in different network namespaces. */
export async function openBrowser(
  host: Host,
  origin: string,
  { args = [], before = "" }: { readonly args?: readonly string[]; readonly before?: string } = {},
): Promise<LabBrowser> {
  const folder = temporaryFolder();
  const program = join(folder.path, "chromium");
  writeFileSync(program, `#!/bin/sh\nexec ${before} ip netns exec ${host.namespace} chromium "$@" 2>/dev/null\n`, {
    mode: 0o755,
  });
  const browser: Browser = await chromium
    .launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu", ...args] })
    .catch((error: unknown) => {
      folder[Symbol.dispose]();
      throw error;
    });
  return {
    visit: async (options = {}) => {
      const context = await browser.newContext({
        baseURL: origin,
        viewport: desk,
        colorScheme: "dark",
        locale: "en-GB",
        reducedMotion: "reduce",
        ...options,
      });
      context.setDefaultTimeout(hangMs);
      const page = await context.newPage();
      return { page, guard: watchPage(page, origin), [Symbol.asyncDispose]: () => context.close() };
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      folder[Symbol.dispose]();
    },
  };
}
