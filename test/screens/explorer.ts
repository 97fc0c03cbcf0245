import type { Page } from 'playwright-core';
import type { Visitor } from '../world/visitor.ts';
import { drawn } from './drawn.ts';
import type { Screen } from './screens.ts';

/** What opens. */
export const opened = 'dialog[open], :popover-open, .suggestions, [role=menu], [role=listbox]';

/** These end what the others are pressed in. */
const left = /^(?:Sign out|Language)/;

/**
 * Presses every button of a screen, and chooses everything in its menus, to look at what opens. Nothing comes of it: what
 * would change something on the server is refused.
 */
export class Explorer {
  private readonly one: Visitor;
  private readonly look: (where: string) => Promise<void>;
  /** What was pressed already, on whichever screen: it opens the same. */
  private readonly pressed = new Set<string>();
  /** What was looked at already: several buttons open the same. */
  private readonly seen = new Set<string>();

  /** @param look is called whenever something has opened */
  constructor(one: Visitor, look: (where: string) => Promise<void>) {
    this.one = one;
    this.look = look;
  }

  /** Has all changes refused from now on. */
  async begin(): Promise<void> {
    await this.page.route('**/api/**', (route) => {
      // What is seen is marked as read meanwhile, which changes nothing here.
      const isRead = route.request().method() === 'GET' || /\/read$/.test(route.request().url());
      const json = { error: 'You may not do this.', code: 'FORBIDDEN' };
      return isRead ? route.continue() : route.fulfill({ status: 403, json });
    });
  }

  async explore({ name, path, shows }: Screen): Promise<void> {
    const arrive = async () => {
      await this.one.go(path);
      await this.page.locator(shows).first().waitFor({ state: 'attached' });
      await this.settle();
    };
    await arrive();
    for (;;) {
      const label = await this.next('main button, .side button', '');
      if (label === null) return;
      const where = `${name}, “${label}”`;
      const isMenu = (await this.page.locator('[role=menu]:visible').count()) > 0;
      if (isMenu) await this.choose(where, arrive);
      const isOpen = isMenu || (await this.lookAt(where));
      // Where nothing opened, the next one is pressed on the same page.
      if (isOpen || (await this.page.evaluate<string>('location.pathname')) !== path) await arrive();
    }
  }

  /** Looks at a menu, and at what each of its items opens. */
  private async choose(where: string, arrive: () => Promise<void>): Promise<void> {
    await this.lookOnce(where);
    const again = await this.page.evaluate<string>(`{
      const button = document.querySelector('[aria-haspopup=menu][aria-expanded=true]');
      button?.title ?? '';
    }`);
    for (;;) {
      const label = await this.next('[role=menu] [role^=menuitem]', 'menu ');
      if (label === null) return;
      await this.lookAt(`${where}, “${label}”`);
      await arrive();
      const named = this.page.locator(`[aria-haspopup=menu][title=${JSON.stringify(again)}]`).first();
      if ((await named.count()) === 0) return;
      await named.dispatchEvent('click');
      await this.settle();
    }
  }

  /** @returns whether anything had opened */
  private async lookAt(where: string): Promise<boolean> {
    const isOpen = await this.lookOnce(where);
    for (let i = 0; isOpen && i < 3; i++) await this.page.keyboard.press('Escape');
    return isOpen;
  }

  private async lookOnce(where: string): Promise<boolean> {
    const shown = `[...document.querySelectorAll(${JSON.stringify(opened)})].filter((one) => one.checkVisibility())`;
    const now = await this.page.evaluate<string>(`${shown}.map((one) => one.outerHTML).join()`);
    // Names of parts differ each time, and what is chosen in a list.
    const kind = now.replace(
      / (?:id|for|style|tabindex|aria-(?:labelledby|describedby|controls|selected))="[^"]*"/g,
      '',
    );
    if (now !== '' && !this.seen.has(kind)) {
      this.seen.add(kind);
      await this.look(where);
    }
    return now !== '';
  }

  /** Presses the next that was not pressed yet. @returns its name; null: there is none */
  private async next(what: string, kind: string): Promise<string | null> {
    const known = JSON.stringify([...this.pressed]);
    const found = await this.page.evaluate<{ key: string; label: string } | null>(`{
      const known = new Set(${known});
      let found = null;
      for (const one of document.querySelectorAll(${JSON.stringify(what)})) {
        const label = (one.getAttribute('aria-label') || one.textContent).trim();
        const key = ${JSON.stringify(kind)} + label.replace(/[0-9]+/g, '#').split(' ').slice(0, 2).join(' ');
        if (one.disabled || known.has(key) || ${left}.test(label) || !one.checkVisibility({ visibilityProperty: true })) continue;
        one.click();
        found = { key, label };
        break;
      }
      found;
    }`);
    if (!found) return null;
    this.pressed.add(found.key);
    await this.settle();
    return found.label;
  }

  /** What opens is there, with the script that it needs. */
  private async settle(): Promise<void> {
    await drawn(this.page);
    await this.page.locator('.late').waitFor({ state: 'detached' });
    await this.page.evaluate('new Promise((done) => setTimeout(done, 100))');
  }

  private get page(): Page {
    return this.one.page;
  }
}
