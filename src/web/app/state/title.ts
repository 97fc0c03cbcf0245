import { effect, signal } from '@preact/signals';
import { signedIn } from './client.ts';
import { unreadNotifications } from './notifications.ts';

const what = signal('');

/** The title of the browser's tab, preceded by the number of unread notifications. */
export function entitle(text: string): void {
  what.value = text;
}

effect(() => {
  const name = what.value === '' ? 'Parley' : `${what.value} · Parley`;
  const count = signedIn.value ? unreadNotifications.value : 0;
  document.title = count > 0 ? `(${count}) ${name}` : name;
});
