import { signal } from '@preact/signals';
import type { RestAnswer, RestInput } from '../../../client/index.ts';
import { LatestAnswer } from './latest-answer.ts';
import type { Core } from './session.ts';

type Lists = RestAnswer<'GET /api/handovers'>;
export type Handover = Lists['received'][number];
type Offer = RestInput<'POST /api/handovers'>['body'];

/** Open offers to hand servers and agents over, to the user and by them. */
export class Handovers {
  readonly received = signal<readonly Handover[]>([]);
  readonly sent = signal<readonly Handover[]>([]);
  private readonly core: Core;
  private readonly latest = new LatestAnswer();

  constructor(core: Core) {
    this.core = core;
    core.client.on('handover:offered', ({ handover }) => {
      this.drop(handover.id);
      const list = handover.from.id === core.me.peek()?.id ? this.sent : this.received;
      list.value = [handover, ...list.peek()];
    });
    core.client.on('handover:ended', ({ handover, outcome }) => {
      this.drop(handover.id);
      if (handover.from.id !== core.me.peek()?.id || outcome === 'withdrawn') return;
      const values = { name: handover.to.displayName, thing: handover.name };
      const { t } = core.texts.peek();
      core.toasts.show(
        outcome === 'accepted' ? t('{name} has accepted {thing}.', values) : t('{name} has declined {thing}.', values),
      );
    });
  }

  async load(): Promise<void> {
    await this.latest.read(
      () => this.core.client.rest('GET /api/handovers'),
      ({ received, sent }) => {
        this.received.value = received;
        this.sent.value = sent;
      },
    );
  }

  async offer(body: Offer): Promise<void> {
    const { to } = await this.core.client.rest('POST /api/handovers', { body });
    await this.load();
    this.core.toasts.show(this.core.texts.peek().t('{name} has a week to accept.', { name: to.displayName }));
  }

  async answer(id: string, accept: boolean): Promise<void> {
    if (accept) await this.core.client.rest('POST /api/handovers/:id/accept', { id });
    else await this.core.client.rest('POST /api/handovers/:id/decline', { id });
    await this.load();
  }

  async withdraw(id: string): Promise<void> {
    await this.core.client.rest('DELETE /api/handovers/:id', { id });
    await this.load();
  }

  private drop(handoverId: string): void {
    this.latest.changed();
    for (const list of [this.received, this.sent]) list.value = list.peek().filter(({ id }) => id !== handoverId);
  }
}
