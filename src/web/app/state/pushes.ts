import { effect, signal } from '@preact/signals';
import type { Notifications } from './notifications.ts';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';

/** Pushes to this device, its badge, and what the server has to know for them: whether someone is looking. */
export class Pushes {
  /** Whether this device gets them. */
  readonly isOn = signal(false);
  /** Whether they show who wrote what. */
  readonly preview = signal(true);
  private readonly core: Core;

  constructor(core: Core, notifications: Notifications) {
    this.core = core;
    const { client, scope, surroundings, navigate, texts, toasts } = core;
    client.on('push:preferences', ({ preview }) => {
      this.preview.value = preview;
    });
    const { attention, device } = surroundings;
    const report = () => {
      const { status, via } = client.state;
      if (status === 'live' && via === 'socket') void client.setActive(attention.isHere()).catch(() => {});
    };
    client.on('state', report);
    scope.add(attention.onChange(report));
    if (!device) return;
    this.isOn.value = scope.local.getItem(keptKeys.pushes) !== null;
    device.signedIn();
    scope.add(device.onOpen(navigate));
    scope.add(
      device.onUpdated(() =>
        toasts.show(texts.peek().t('There is a new version of Parley. Reload the page to get it.')),
      ),
    );
    scope.add(effect(() => device.setBadge(notifications.unreadCount.value)));
    const isShownStill = (id: string) => notifications.list.peek().some((entry) => entry.id === id && !entry.isRead);
    for (const event of ['notification:read', 'notification:deleted'] as const) {
      client.on(event, ({ unreadCount }) => {
        // Older ones than are listed count as read when all are.
        void device.closeShown((id) => unreadCount === 0 || !isShownStill(id)).catch(() => {});
      });
    }
    // The browser may have another subscription by now; the server learns that someone was here.
    if (this.isOn.peek()) void this.renew().catch(() => {});
  }

  get isPossible(): boolean {
    return this.core.surroundings.device?.canBePushed() ?? false;
  }

  async load(): Promise<void> {
    const { client } = this.core;
    this.preview.value = (await client.rest('GET /api/push/preferences')).preview;
  }

  /** @throws Error when the browser does not allow it, or the server sends none */
  async set(on: boolean): Promise<void> {
    const { client, scope, surroundings } = this.core;
    this.isOn.value = on;
    try {
      if (on) {
        await this.subscribe();
        scope.local.setItem(keptKeys.pushes, 'on');
        return;
      }
      scope.local.removeItem(keptKeys.pushes);
      await surroundings.device?.unsubscribe();
      await client.rest('DELETE /api/push/subscription');
    } catch (error) {
      this.isOn.value = scope.local.getItem(keptKeys.pushes) !== null;
      throw error;
    }
  }

  async setPreview(preview: boolean): Promise<void> {
    const before = this.preview.peek();
    this.preview.value = preview;
    try {
      await this.core.client.rest('PATCH /api/push/preferences', { body: { preview } });
    } catch (error) {
      this.preview.value = before;
      throw error;
    }
  }

  async test(): Promise<void> {
    await this.core.client.rest('POST /api/push/test');
  }

  private async subscribe(): Promise<void> {
    const { client, surroundings } = this.core;
    const { publicKey } = await client.rest('GET /api/push/key');
    const made = await surroundings.device?.subscribe(publicKey);
    const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = made ?? {};
    await client.rest('PUT /api/push/subscription', { body: { endpoint, keys: { p256dh, auth } } });
  }

  /** As it was chosen before; without asking the user anything. */
  private async renew(): Promise<void> {
    const { surroundings, scope } = this.core;
    if (surroundings.device?.mayBePushed()) return this.subscribe();
    this.isOn.value = false;
    scope.local.removeItem(keptKeys.pushes);
  }
}
