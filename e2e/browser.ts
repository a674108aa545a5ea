import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Host } from "../lab/namespaces.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { type Guard, watchPage } from "./guard.ts";

/** Chromium on a host of the lab: what it asks for leaves by that host's cable and by no other. */
export interface LabBrowser extends AsyncDisposable {
  /** A person of their own: other cookies, other memory. */
  visit(options?: BrowserContextOptions): Promise<Visit>;
}

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly guard: Guard;
}

/** A page that has not reacted by then never will, at any load. What must be quick is a deadline. */
const hangMs = 60_000;

export const desk = { width: 1280, height: 800 } as const;
export const phone = { width: 360, height: 640 } as const;

/** Playwright speaks with it through a pipe, which does not care in which network either of them is. */
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
