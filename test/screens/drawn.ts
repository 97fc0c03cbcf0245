import type { Page } from 'playwright-core';

/** Waits until the page has drawn what is in it. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
