import { effect, signal } from '@preact/signals';
import type { NotificationRecord } from '../../../client/index.ts';
import { me, signedIn } from './client.ts';
import { keptKeys } from './kept.ts';
import { latestNotification, pathOf } from './notifications.ts';
import { presence } from './presence.ts';
import { go } from './router.ts';

/** Whether this device shows notifications while Parley is in the background. */
export const alertsOn = signal(false);

/** Only secure pages support them, and on phones only installed pages. */
export const hasAlerts = (): boolean => 'Notification' in globalThis && matchMedia('(hover: hover)').matches;

/** @throws a sentence, when the browser does not allow it */
export async function setAlerts(on: boolean): Promise<void> {
  alertsOn.value = on;
  // Who has allowed them before need not wait: a page that is left in that moment would forget the wish.
  if (on && Notification.permission !== 'granted' && (await Notification.requestPermission()) !== 'granted') {
    alertsOn.value = false;
    throw new Error('This browser does not let Parley show notifications. It has a setting for that.');
  }
  if (on) localStorage.setItem(keptKeys.alerts, 'on');
  else localStorage.removeItem(keptKeys.alerts);
}

effect(() => {
  alertsOn.value = signedIn.value && localStorage.getItem(keptKeys.alerts) !== null;
});

function show(entry: NotificationRecord | null): void {
  if (!entry) return;
  const isBusy = presence.value.get(me.value?.id ?? '') === 'dnd';
  if (!alertsOn.value || isBusy || entry.isRead || document.hasFocus() || !hasAlerts()) return;
  if (Notification.permission !== 'granted') return;
  // Several tabs show it once, thanks to its tag.
  const shown = new Notification(entry.title, { body: entry.body ?? '', tag: entry.id, icon: '/app/icon.svg' });
  shown.onclick = () => {
    window.focus();
    go(pathOf(entry));
    shown.close();
  };
}

latestNotification.subscribe(show);
