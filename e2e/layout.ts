import type { Page } from "playwright-core";

/** Whether something sticks out to the side. Charts take a moment to follow a window that became smaller. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page
    .waitForFunction(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth, undefined, {
      timeout: 1000,
    })
    .then(
      () => false,
      () => true,
    );
