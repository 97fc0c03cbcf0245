import { signal } from '@preact/signals';
import type { RestAnswer } from '../../../client/index.ts';
import type { Core } from './session.ts';

export type MessagePreview = RestAnswer<'GET /api/message-previews'>['messages'][number];

/** Messages come into view together: this long after the first of them all are asked for at once. */
const gatherMs = 50;
/** How many one call answers. */
const maxPerCall = 50;
/** After so long one is asked for again when it is shown: it may have been edited, or be out of reach. */
const freshMs = 60_000;
const maxKept = 500;

interface Known {
  /** Null: there is no such message, or not for the user. */
  preview: MessagePreview | null;
  at: number;
}

/** What links to messages show, as far as the user may read it. */
export class MessagePreviews {
  private readonly core: Core;
  private readonly known = signal<ReadonlyMap<string, Known>>(new Map());
  private wanted = new Set<string>();
  private isAsking = false;

  constructor(core: Core) {
    this.core = core;
    // What was read may be out of reach now.
    const { client } = core;
    client.on('channel:member-removed', ({ channelId }) => this.forget((preview) => preview.channelId === channelId));
    for (const event of ['server:left', 'server:deleted'] as const) {
      client.on(event, ({ serverId }) => this.forget((preview) => preview.serverId === serverId));
    }
  }

  /** Undefined: it is not known yet. */
  of(messageId: string): MessagePreview | null | undefined {
    return this.known.value.get(messageId)?.preview;
  }

  /** Asks for a message that is shown somewhere. */
  want(messageId: string): void {
    const known = this.known.peek().get(messageId);
    if (known && performance.now() - known.at < freshMs) return;
    this.wanted.add(messageId);
    if (this.isAsking) return;
    this.isAsking = true;
    this.core.scope.after(gatherMs, () => void this.ask());
  }

  private forget(isGone: (preview: MessagePreview) => boolean): void {
    this.known.value = new Map([...this.known.peek()].filter(([, { preview }]) => !preview || !isGone(preview)));
  }

  private async ask(): Promise<void> {
    const all = [...this.wanted];
    this.wanted = new Set();
    this.isAsking = false;
    for (let at = 0; at < all.length; at += maxPerCall) {
      const ids = all.slice(at, at + maxPerCall);
      // A link without a preview still leads to its message.
      const answer = await this.core.client
        .rest('GET /api/message-previews', { query: { ids: [...ids] } })
        .catch(() => null);
      if (answer) this.keep(ids, answer.messages);
    }
  }

  private keep(ids: readonly string[], found: readonly MessagePreview[]): void {
    const byId = new Map(found.map((preview) => [preview.id, preview]));
    const now = new Map(this.known.peek());
    for (const id of ids) {
      now.delete(id);
      now.set(id, { preview: byId.get(id) ?? null, at: performance.now() });
    }
    for (const id of [...now.keys()].slice(0, Math.max(0, now.size - maxKept))) now.delete(id);
    this.known.value = now;
  }
}
