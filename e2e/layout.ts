import type { Page } from "playwright-core";

/** Whether the page overflows horizontally. Charts take a moment to follow a smaller window. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page
    .waitForFunction(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth, undefined, {
      timeout: 1000,
    })
    .then(
      () => false,
      () => true,
    );
