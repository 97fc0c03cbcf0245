import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Message, Pending } from '../../../client/index.ts';
import { parley } from './client.ts';
import { type Refused, refused } from './refused.ts';

interface Sent {
  pending: Pending;
  message: Message;
}

/** Messages written in a channel or thread that are not in its timeline: being sent, not received yet, or refused. */
export class Sending {
  readonly pending = signal<readonly Pending[]>([]);
  readonly refused: ReadonlySignal<readonly Refused[]>;
  /** Acknowledged; after a break it may take a while until what precedes it has been read. */
  readonly unheard: ReadonlySignal<readonly Sent[]>;

  /** @param newest number of the newest message received there */
  constructor(channelId: string, threadId: string | null, newest: ReadonlySignal<number>) {
    const channel = parley.channel(channelId);
    const isHere = (pending: Pending) =>
      pending.channelId === channelId && (pending.input.threadId ?? null) === threadId;
    const sent = signal<readonly Sent[]>([]);
    this.unheard = computed(() => sent.value.filter(({ message }) => message.seq > newest.value));
    this.pending.value = channel.pending.filter(isHere);
    channel.listen('pending', (pending) => {
      this.pending.value = pending.filter(isHere);
    });
    channel.listen('sent', (one) => {
      if (isHere(one.pending) && !one.message.isDeleted) sent.value = [...this.unheard.value, one];
    });
    this.refused = computed(() => refused.value.filter(({ pending }) => isHere(pending)));
  }
}
