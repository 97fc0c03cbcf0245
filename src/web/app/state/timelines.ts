import { signal } from '@preact/signals';
import { type ChannelRecord, ParleyError } from '../../../client/index.ts';
import type { Drafts } from './drafts.ts';
import type { Replies } from './replies.ts';
import { pathTo, settledPath } from './router.ts';
import type { Scope } from './scope.ts';
import type { Refusals } from './sending.ts';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';
import { Timeline } from './timeline.ts';
import type { Unread } from './unread.ts';

/** A position in a list of messages. */
export interface Anchor {
  messageId: string;
  /** Pixels from the top of the view to the top of the message. */
  offset: number;
}

/** Scroll positions of channels and threads, kept over visits elsewhere and reloads. */
export class Anchors {
  private readonly scope: Scope;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  /** @returns null: the newest messages are in view */
  of(key: string): Anchor | null {
    const text = this.scope.tab.getItem(keptKeys.scroll + key);
    return text === null ? null : JSON.parse(text);
  }

  keep(key: string, anchor: Anchor | null): void {
    if (anchor) this.scope.tab.setItem(keptKeys.scroll + key, JSON.stringify(anchor));
    else this.scope.tab.removeItem(keptKeys.scroll + key);
  }
}

export interface TimelineDeps extends Core {
  unread: Unread;
  drafts: Drafts;
  replies: Replies;
  refusals: Refusals;
  anchors: Anchors;
}

/** The messages of all conversations that were opened. */
export class Timelines {
  /** Visited channels, by id, as they were then: until a list has them, and for archived ones. */
  readonly visited = signal<ReadonlyMap<string, ChannelRecord>>(new Map());
  private readonly deps: TimelineDeps;
  private readonly all = new Map<string, Timeline>();
  /** Those whose channel was lost while they were there. */
  private readonly lost = new Set<Timeline>();

  constructor(deps: TimelineDeps) {
    this.deps = deps;
    const regain = (channelId: string) => this.regain(channelId);
    deps.client.on('channel:member-added', ({ channelId }) => regain(channelId));
    deps.client.on('dm:created', ({ id }) => regain(id));
    deps.client.on('user:updated', ({ user }) => {
      for (const timeline of this.all.values()) timeline.apply(() => timeline.rename(user));
    });
  }

  /** The timeline of a channel or thread, always the same object. */
  of(channelId: string, threadId: string | null = null): Timeline {
    const key = threadId ?? channelId;
    const known = this.all.get(key);
    if (known) return known;
    const timeline = new Timeline(channelId, threadId, this.deps, this);
    this.all.set(key, timeline);
    return timeline;
  }

  /**
   * Shows a message in a timeline, or navigates to where it is: not every link says whether it is in a thread, and in which,
   * and some messages are gone.
   */
  async showMessage(timeline: Timeline, id: string, serverId: string | null): Promise<void> {
    const { client, navigate, route, toasts } = this.deps;
    const isShown = () => timeline.messages.peek().some((message) => message.id === id);
    if (!isShown()) await timeline.showAround(id);
    if (timeline.error.peek() || isShown()) return;
    let isElsewhere = false;
    await toasts.attempt(async () => {
      const message = await client.rest('GET /api/messages/:id', { id });
      isElsewhere = message.threadId !== timeline.threadId;
      if (isElsewhere) navigate(pathTo.messageOrThread(serverId, message), { replace: true });
    });
    // It is gone: the address leads to its conversation from now on.
    const here = route.peek();
    const path = 'messageId' in here && here.messageId === id ? settledPath(here) : null;
    if (path && !isElsewhere) navigate(path, { replace: true });
  }

  /** Opens a channel, from a position no later than its messages that are read afterwards. */
  async open(channelId: string): Promise<void> {
    if (!this.deps.client.channel(channelId).isOpen) this.deps.unread.follow(await this.visit(channelId));
  }

  /** Fetches a channel that no list has. If it is not accessible, the conversation itself says so. */
  async visitUnlisted(id: string): Promise<void> {
    try {
      await this.visit(id);
    } catch (error) {
      if (!(error instanceof ParleyError) || error.status !== 404) throw error;
      this.forget(id);
    }
  }

  /** A channel is no longer accessible. It must be closed, or nothing of it would be received if it came back. */
  lose(channelId: string): void {
    this.deps.client.channel(channelId).close();
    this.deps.unread.lose(channelId);
    this.forget(channelId);
    for (const timeline of this.in(channelId)) {
      // A thread that was deleted stays so.
      if (!timeline.gone.peek()) this.lost.add(timeline);
      timeline.gone.value = true;
    }
  }

  /** A channel is accessible, perhaps again: what was shown of it is read anew. */
  regain(channelId: string): void {
    for (const timeline of this.in(channelId)) {
      if (timeline.gone.peek() && (this.lost.delete(timeline) || timeline.threadId === null))
        void timeline.showNewest();
    }
  }

  /** A thread is deleted, with the messages in it that were being edited. */
  loseThread(id: string, channelId: string): void {
    const { drafts } = this.deps;
    for (const message of this.all.get(id)?.messages.peek() ?? []) {
      drafts.rescueEdit(message, id);
      drafts.endEditing(message.id);
    }
    drafts.rescueThread(id, channelId);
  }

  private async visit(id: string): Promise<ChannelRecord> {
    const channel = await this.deps.client.rest('GET /api/channels/:id', { id });
    this.visited.value = new Map(this.visited.peek()).set(id, channel);
    return channel;
  }

  private in(channelId: string): Timeline[] {
    return [...this.all.values()].filter((timeline) => timeline.channelId === channelId);
  }

  private forget(id: string): void {
    const others = new Map(this.visited.peek());
    if (others.delete(id)) this.visited.value = others;
  }
}
