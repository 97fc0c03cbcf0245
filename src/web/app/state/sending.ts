import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Message, Parley, ParleyError, Pending } from '../../../client/index.ts';
import { keysOf } from '../../../client/store.ts';
import { pathTo } from './router.ts';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';
import { errorText } from './toasts.ts';

/** A message that the server refused, and the reason as a sentence. */
export interface Refused {
  pending: Pending;
  reason: string;
  code: ParleyError['code'];
  /** Not of those that earlier versions kept. */
  issues?: ParleyError['issues'];
}

/** Refused messages neither resent nor discarded. All tabs show them, even after a reload. */
export class Refusals {
  /** In the order written. */
  readonly list: Signal<readonly Refused[]>;
  private readonly core: Core;

  constructor(core: Core) {
    this.core = core;
    this.list = signal(this.stored());
    core.client.on('failed', ({ pending, error }) => this.add(pending, error));
    core.scope.onStored((key) => {
      if (key.startsWith(keptKeys.refused)) this.list.value = this.stored();
    });
  }

  discard(nonce: string): void {
    this.core.scope.local.removeItem(keptKeys.refused + nonce);
    this.list.value = this.list.peek().filter(({ pending }) => pending.nonce !== nonce);
  }

  /** Sends it once more: to where it was written, or to the channel of a thread that was deleted. */
  sendAgain({ pending: { nonce, channelId, input }, code }: Refused): void {
    this.discard(nonce);
    // The message that it replies to was deleted with its thread.
    const again = code === 'THREAD_NOT_FOUND' ? { ...input, threadId: null, replyToId: null } : input;
    // A second refusal is reported by the client, too.
    this.core.client
      .channel(channelId)
      .send(again)
      .catch(() => {});
  }

  private add(pending: Pending, error: ParleyError): void {
    // The user withdrew it, or signed out.
    if (error.code === 'CLOSED' || error.code === 'SIGNED_OUT') return;
    // It is shown as what it is: waiting for a moderator.
    if (error.code === 'MESSAGE_HELD') return;
    const refused = { pending, reason: error.message, code: error.code, issues: error.issues };
    this.list.value = [...this.list.peek(), refused];
    try {
      this.core.scope.local.setItem(keptKeys.refused + pending.nonce, JSON.stringify(refused));
    } catch {
      // A full store only means that it does not outlive the page.
    }
    if (!this.isInView(pending)) {
      this.core.toasts.show(
        this.core.texts
          .peek()
          .t('A message was not sent: {reason}', { reason: errorText(error, this.core.texts.peek()) }),
        'bad',
        pathTo.notSent,
      );
    }
  }

  /** Whether its conversation is on the screen: beside a thread there is its channel. */
  private isInView({ channelId, input }: Pending): boolean {
    const here = this.core.route.peek();
    if (!('channelId' in here) || here.channelId !== channelId) return false;
    return [here.threadId, null].includes(input.threadId ?? null);
  }

  private stored(): Refused[] {
    const { local } = this.core.scope;
    const keys = keysOf(local, keptKeys.refused);
    const all = keys.map((key): Refused => JSON.parse(local.getItem(key) ?? '{}'));
    return all.sort((a, b) => a.pending.queuedAt - b.pending.queuedAt);
  }
}

interface Sent {
  pending: Pending;
  message: Message;
}

/** Messages written in a channel or thread that are not in its timeline: being sent, not received yet, or refused. */
export class Sending {
  readonly pending: Signal<readonly Pending[]>;
  readonly refused: ReadonlySignal<readonly Refused[]>;
  /** Acknowledged, but not received: after a break, what precedes them is read first. */
  readonly acknowledged: ReadonlySignal<readonly Sent[]>;

  /** @param newest number of the newest message received there */
  constructor(
    client: Parley,
    refusals: Refusals,
    { channelId, threadId, newest }: { channelId: string; threadId: string | null; newest: ReadonlySignal<number> },
  ) {
    const channel = client.channel(channelId);
    const isHere = (pending: Pending) =>
      pending.channelId === channelId && (pending.input.threadId ?? null) === threadId;
    const sent = signal<readonly Sent[]>([]);
    this.acknowledged = computed(() => sent.value.filter(({ message }) => message.seq > newest.value));
    this.pending = signal(channel.pending.filter(isHere));
    channel.listen('pending', (pending) => {
      this.pending.value = pending.filter(isHere);
    });
    channel.listen('sent', (one) => {
      if (isHere(one.pending) && !one.message.isDeleted) sent.value = [...this.acknowledged.peek(), one];
    });
    this.refused = computed(() => refusals.list.value.filter(({ pending }) => isHere(pending)));
  }
}
