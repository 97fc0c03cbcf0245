import type { Page } from 'playwright-core';

/** What a screen reader finds: the names in Chromium's accessibility tree, with their roles. */
export async function treeOf(page: Page): Promise<{ role: string; name: string }[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    return (
      nodes
        // The boxes of lines are parts of the texts before them.
        .filter(({ ignored, role }) => !ignored && role?.value !== 'InlineTextBox')
        .map(({ role, name }) => ({ role: String(role?.value ?? ''), name: String(name?.value ?? '').trim() }))
        .filter(({ name }) => name !== '')
    );
  } finally {
    await session.detach();
  }
}
