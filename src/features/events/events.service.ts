import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { readLogSchema } from '../../contract/events.ts';
import { channelRoom, credentialRooms, type Room, userRoom } from '../../contract/rooms.ts';
import type { Page } from '../../delivery/catch-up.ts';
import type { FeedFilter } from '../../delivery/feed-filter.ts';
import type { PollPlaces, Turn } from '../agents/feeds/poll-places.ts';
import type { Context } from '../context.ts';

/** The long polls waiting on this node: none outlives the session, or the token, that it came with. */
class Polls {
  private readonly waiting = new Set<{ actor: Actor; over: AbortController }>();

  /**
   * Waits for something on behalf of an actor.
   * @param signal aborts when the client disconnects
   * @param wait gets a signal that aborts then, and when the actor's polls are ended
   */
  async during<T>(actor: Actor, signal: AbortSignal, wait: (over: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const leave = () => over.abort();
    const poll = { actor, over };
    this.waiting.add(poll);
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    try {
      return await wait(over.signal);
    } finally {
      signal.removeEventListener('abort', leave);
      this.waiting.delete(poll);
    }
  }

  /** Ends the waits of a session, a token or a user. @param room as for the sockets that end with it */
  end(room: string): void {
    for (const { actor, over } of this.waiting) {
      if (credentialRooms(actor).includes(room) || userRoom(actor.userId) === room) over.abort();
    }
  }
}

interface Query extends z.output<typeof readLogSchema> {
  /** False: it is not how the actor, a bot, follows the log; where that is stays as it is. */
  noted?: boolean;
}

/** The most bytes of any response. */
const maxBytes = 1024 * 1024;

interface Deps extends Pick<Context, 'catchUp' | 'channelAccess'> {
  feedFilter: FeedFilter;
  pollPlaces: PollPlaces;
  refreshed: (actor: Actor) => Promise<Actor>;
}

/** The logs of rooms over REST: push without sockets (contract §10.4). */
export class EventsService {
  private readonly deps: Deps;
  private readonly polls = new Polls();

  /** @param parts.refreshed the current actor after a wait; throws the error with which its token would be refused */
  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * A bot that may not get all events gets those that it may, and waits on if there are none.
   * @throws AppError CHANNEL_NOT_FOUND, also when access is lost during the wait; the token's error once it ends
   */
  async ofChannel(actor: Actor, channelId: string, query: Query, signal: AbortSignal): Promise<Page> {
    const room = channelRoom(channelId);
    const end = performance.now() + query.wait * 1000;
    await this.requireHeard(actor, channelId);
    const turn = await this.deps.pollPlaces.turn(actor, room, query.after, query.noted !== false);
    if (turn.isSentBack) return sentBack(turn);
    if (turn.upTo !== null) {
      const page = await this.played(actor, room, query, turn.upTo, signal);
      const { entries } = await this.deps.feedFilter.heard(actor, room, page.entries);
      return { ...page, entries };
    }
    for (let { after } = query; ; ) {
      const page = await this.poll(actor, room, { ...query, after }, end - performance.now(), signal);
      if (!page) throw new AppError('CHANNEL_NOT_FOUND');
      await this.requireHeard(await this.deps.refreshed(actor), channelId);
      const { entries } = await this.deps.feedFilter.heard(actor, room, page.entries);
      const allKept = page.entries.length > 0 && entries.length === 0;
      if (!allKept || performance.now() >= end || signal.aborted) return { ...page, entries };
      after = page.seq;
    }
  }

  /** @throws AppError as ChannelAccess.readable, except for a bot that gets its commands where it may not listen */
  private async requireHeard(actor: Actor, channelId: string): Promise<void> {
    await this.deps.channelAccess.entered(actor, channelId);
    if (!(await this.deps.feedFilter.passes(actor, channelRoom(channelId))))
      await this.deps.channelAccess.readable(actor, channelId);
  }

  /** @throws AppError the token's error once it ends, also during the wait */
  async ofUser(actor: Actor, query: Query, signal: AbortSignal): Promise<Page> {
    const room = userRoom(actor.userId);
    const turn = await this.deps.pollPlaces.turn(actor, room, query.after, true);
    if (turn.isSentBack) return sentBack(turn);
    if (turn.upTo !== null) return this.played(actor, room, query, turn.upTo, signal);
    const page = await this.poll(actor, room, query, query.wait * 1000, signal);
    if (!page) throw new AppError('USER_NOT_FOUND');
    await this.deps.refreshed(actor);
    return page;
  }

  /** Answers the polls of an ended session or token, or of a user. @param room as for their sockets */
  end(room: string): void {
    this.polls.end(room);
  }

  /** What a rehearsing bot gets: a log that ends, as if nothing happened after that. */
  private async played(actor: Actor, room: Room, query: Query, upTo: number, signal: AbortSignal): Promise<Page> {
    const { after = upTo } = query;
    if (after >= upTo) {
      const rest = (over: AbortSignal) => pause(query.wait * 1000, undefined, { signal: over }).catch(() => {});
      await this.polls.during(actor, signal, rest);
      await this.deps.refreshed(actor);
      return { entries: [], seq: upTo, recovered: true, hasMore: false };
    }
    const page = await this.poll(actor, room, query, 0, signal);
    if (!page) throw new AppError('CHANNEL_NOT_FOUND');
    const seq = Math.min(page.seq, upTo);
    if (query.noted !== false) await this.deps.pollPlaces.given(actor, room, seq);
    return { ...page, entries: page.entries.filter((entry) => entry.seq <= upTo), seq, hasMore: seq < upTo };
  }

  private poll(actor: Actor, room: Room, query: Query, waitMs: number, signal: AbortSignal): Promise<Page | undefined> {
    const limits = { events: query.limit, bytes: maxBytes };
    return this.polls.during(actor, signal, async (over) => {
      // A session or token that ended after its check ended only the polls that waited then.
      await this.deps.refreshed(actor);
      return this.deps.catchUp.poll(room, query.after, limits, Math.max(waitMs, 0), over);
    });
  }
}

/** Tells a client where to read on from. */
function sentBack({ after = 0 }: Turn): Page {
  return { entries: [], seq: after, recovered: true, hasMore: true };
}
