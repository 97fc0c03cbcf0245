import { signal } from '@preact/signals';
import type { ChannelEventMap, Message } from '../../../client/index.ts';
import type { Core } from './session.ts';

export type Poll = NonNullable<Message['poll']>;
type Stand = ChannelEventMap['poll:updated'];

/** The server answers for so many at once. */
const maxAsked = 100;

/** A poll with what an event tells of it. */
export function withStand(
  poll: Poll | undefined,
  { options, voterCount, closesAt, closedAt }: Stand,
): Partial<Message> {
  if (!poll) return {};
  const counts = new Map(options.map(({ id, count }) => [id, count]));
  const told = poll.options.map((option) => ({ ...option, count: counts.get(option.id) ?? option.count }));
  return { poll: { ...poll, options: told, voterCount, closesAt, closedAt } };
}

/** What the user chose in polls. Messages are the same for everyone, so that is asked for apart. */
export class Polls {
  private readonly core: Core;
  /** By message; those without a vote are empty. */
  private readonly own = signal<ReadonlyMap<string, readonly number[]>>(new Map());
  private wanted = new Map<string, Set<string>>();
  /** The last vote in each poll that the server has not answered yet. */
  private readonly voting = new Map<string, Promise<unknown>>();

  constructor(core: Core) {
    this.core = core;
    core.client.on('poll:voted', ({ messageId, optionIds }) => {
      // What was chosen here since then is newer.
      if (!this.voting.has(messageId)) this.note(messageId, optionIds);
    });
    // What happened meanwhile is not known.
    core.client.on('reload', () => {
      this.own.value = new Map();
    });
  }

  /** What the user chose; undefined: it is not known yet, and asked for. */
  chosen({ id, channelId }: Pick<Message, 'id' | 'channelId'>): readonly number[] | undefined {
    const known = this.own.value.get(id);
    if (!known) this.want(channelId, id);
    return known;
  }

  /**
   * Replaces what the user chose, at once here, and on the server after what they chose in this poll before.
   * @returns the poll with it. @throws ParleyError
   */
  async vote(messageId: string, optionIds: number[]): Promise<Poll> {
    this.note(messageId, optionIds);
    const send = () => this.core.client.rest('PUT /api/messages/:id/poll/vote', { id: messageId, body: { optionIds } });
    const vote = (this.voting.get(messageId) ?? Promise.resolve()).then(send, send);
    this.voting.set(messageId, vote);
    const isLast = () => this.voting.get(messageId) === vote;
    try {
      const answer = await vote;
      if (isLast()) this.note(messageId, answer.optionIds);
      return answer.poll;
    } catch (error) {
      if (isLast()) this.forget(messageId);
      throw error;
    } finally {
      if (isLast()) this.voting.delete(messageId);
    }
  }

  private note(messageId: string, optionIds: readonly number[]): void {
    this.own.value = new Map(this.own.peek()).set(messageId, optionIds);
  }

  /** It is asked for again. */
  private forget(messageId: string): void {
    const others = new Map(this.own.peek());
    others.delete(messageId);
    this.own.value = others;
  }

  /** Those of a page are asked for together, once it is drawn. */
  private want(channelId: string, id: string): void {
    if (this.wanted.size === 0) this.core.scope.after(0, () => this.ask());
    this.wanted.set(channelId, (this.wanted.get(channelId) ?? new Set()).add(id));
  }

  private ask(): void {
    const all = this.wanted;
    this.wanted = new Map();
    for (const [channelId, ids] of all) {
      const list = [...ids];
      for (let at = 0; at < list.length; at += maxAsked) {
        void this.core.connection.load(() => this.askFor(channelId, list.slice(at, at + maxAsked)));
      }
    }
  }

  private async askFor(channelId: string, ids: string[]): Promise<void> {
    const query = { messageIds: ids };
    const votes = await this.core.client.rest('GET /api/channels/:channelId/poll-votes', { channelId, query });
    const chosen = new Map(votes.map(({ messageId, optionIds }) => [messageId, optionIds]));
    const known = new Map(this.own.peek());
    // What was voted meanwhile is newer.
    for (const id of ids) if (!known.has(id)) known.set(id, chosen.get(id) ?? []);
    this.own.value = known;
  }
}
