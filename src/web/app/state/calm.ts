import { effect } from '@preact/signals';
import type { PageState } from './page.ts';

/** Resolves once what is shown is there: from then on the line is free for what may be needed later. */
export function whenCalm({ account }: Pick<PageState, 'account'>): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      const session = account.session.value;
      if (session && !session.lists.loaded.value) return;
      resolve();
      // This may run before there is something to stop.
      queueMicrotask(() => stop());
    });
  });
}
