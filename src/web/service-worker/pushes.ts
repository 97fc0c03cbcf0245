import { notificationPath } from '../../contract/notification-path.ts';
import type { PushPayload } from '../../contract/push.ts';
import { isPage } from './shell.ts';

declare const self: ServiceWorkerGlobalScope;

const icon = '/app/icons/192.png';
const badge = '/app/icons/badge.png';

let last: Promise<void> = Promise.resolve();

/**
 * Shows what was pushed, or takes back what was shown. One after the other: Chromium forgets what is being shown while
 * another asks what is shown, and it could not be taken back any more.
 */
export function pushed(data: PushMessageData | null): Promise<void> {
  const payload = payloadOf(data);
  const done = last.then(() => handle(payload));
  last = done.catch(() => {});
  return done;
}

async function handle(payload: PushPayload | null): Promise<void> {
  // What a later version sends is still a push, and browsers expect to see each.
  if (!payload) return show('Parley', { body: 'New notification', tag: 'parley', data: '/app' });
  if (payload.type === 'test') {
    return show(payload.title, { body: payload.body, tag: 'test', data: '/app/settings/notifications' });
  }
  await closeShown(payload.closed);
  if (payload.type === 'notification') {
    const { id, title, body } = payload;
    await show(title, { body, tag: id, data: notificationPath({ ...payload, body: payload.inviteCode ?? '' }) });
  }
  // Last: nothing that is to be seen waits for it.
  await setBadge(payload.unreadCount);
}

function payloadOf(data: PushMessageData | null): PushPayload | null {
  try {
    const payload: PushPayload = data?.json();
    return ['notification', 'closed', 'test'].includes(payload.type) ? payload : null;
  } catch {
    return null;
  }
}

/** One that takes the place of another has something new, and is noticed as that was. */
const look: NotificationOptions & { renotify: true } = { icon, badge, renotify: true };

const show = (title: string, options: NotificationOptions & { tag: string }) =>
  self.registration.showNotification(title, { ...look, ...options });

async function closeShown(ids: string[]): Promise<void> {
  for (const shown of await self.registration.getNotifications()) if (ids.includes(shown.tag)) shown.close();
}

/** On the icon of the installed app. */
async function setBadge(count: number): Promise<void> {
  // Not every browser has it, and not every system shows it.
  await self.navigator.setAppBadge?.(count).catch(() => {});
}

/** Someone clicked on what is shown: leads to what it is about, in a page that is open if there is one. */
export async function clicked(notification: Notification): Promise<void> {
  notification.close();
  const path = typeof notification.data === 'string' ? notification.data : '/app';
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const pages = windows.filter(({ url }) => isPage(new URL(url).pathname));
  const page = pages.find(({ focused }) => focused) ?? pages.find(isShown) ?? pages[0];
  if (!page) {
    await self.clients.openWindow(path);
    return;
  }
  page.postMessage({ type: 'open', path });
  await page.focus();
}

const isShown = ({ visibilityState }: WindowClient) => visibilityState === 'visible';

/** Whoever was signed in is not any more: nothing of theirs stays on the screen. */
export async function forgetUser(): Promise<void> {
  for (const shown of await self.registration.getNotifications()) shown.close();
  await self.navigator.clearAppBadge?.().catch(() => {});
}
