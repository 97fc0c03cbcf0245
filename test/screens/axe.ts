import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

interface Finding {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const options = {
  resultTypes: ['violations'],
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};

/** Has axe-core on each page that is loaded from now on. The context bypasses the policy of the page for that. */
export const withAxe = (page: Page): Promise<unknown> => page.addInitScript(axe);

/**
 * Whatever axe-core finds on the page as it stands, minor findings too.
 * @param within what alone is looked at; it has to be there
 */
export async function scan(page: Page, within?: string): Promise<string[]> {
  const where = within ? `{ include: [...document.querySelectorAll(${JSON.stringify(within)})] }` : 'document';
  const found: { violations: Finding[] } = await page.evaluate(`axe.run(${where}, ${JSON.stringify(options)})`);
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
