import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { Account } from './account.ts';
import { Keyboard } from './keyboard.ts';
import { Look } from './look.ts';
import { Router } from './router.ts';
import { Scope } from './scope.ts';
import { Speech } from './speech.ts';
import type { Surroundings } from './surroundings.ts';
import { Toasts } from './toasts.ts';
import { Turns } from './turns.ts';

/** What a page has whether someone is signed in or not. */
export type PageState = ReturnType<typeof createPage>;

/** Builds the state of a page, with that of a session if someone is signed in. */
export function createPage(surroundings: Surroundings) {
  const scope = new Scope(surroundings);
  const router = new Router(surroundings, scope);
  const speech = new Speech(surroundings, scope);
  const { texts } = speech;
  const look = new Look(surroundings, scope);
  const toasts = new Toasts(scope, texts);
  const account = new Account({ surroundings, scope, router, texts });
  scope.add(
    effect(() => {
      const me = account.session.value?.me.value;
      void speech.follow(me?.language ?? null, { timeZone: me?.timeZone ?? null, hourCycle: me?.hourCycle ?? null });
      // The sign-in page looks as it did for the last one.
      if (me?.theme !== undefined) look.follow(me.theme);
    }),
  );
  scope.add(effect(() => surroundings.setAccent(account.session.value?.servers.current.value?.accentColor ?? null)));
  const announced = signal('');
  return {
    surroundings,
    speech,
    look,
    texts,
    account,
    router,
    route: router.route,
    navigate: router.navigate,
    keyboard: new Keyboard(surroundings),
    /** Of code that is highlighted. */
    turns: new Turns(),
    toasts,
    showToast: toasts.show,
    attempt: toasts.attempt,
    setTitle: titleOf(surroundings, scope, account),
    /** What screen readers announce. */
    announced,
    announce(text: string): void {
      // The same text twice would be no change, and would not be read.
      announced.value = text === announced.peek() ? `${text}\u00a0` : text;
    },
    /** Stops everything, also the session. */
    close(): void {
      account.close();
      scope.end();
    },
  };
}

/** Keeps the title of the browser's tab: the page's name, preceded by the number of unread notifications. */
function titleOf(surroundings: Surroundings, scope: Scope, account: { session: ReadonlySignal<Counted | null> }) {
  const title = signal('');
  const show = () => {
    const name = title.value === '' ? 'Parley' : `${title.value} · Parley`;
    const count = account.session.value?.notifications.unreadCount.value ?? 0;
    surroundings.setTitle(count > 0 ? `(${count}) ${name}` : name);
  };
  scope.add(effect(show));
  return (text: string): void => {
    title.value = text;
  };
}

interface Counted {
  notifications: { unreadCount: ReadonlySignal<number> };
}
