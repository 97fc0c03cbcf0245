import { signal } from '@preact/signals';
import type { Message, RestAnswer } from '../../../client/index.ts';
import type { Core } from './session.ts';

export type Use = RestAnswer<'GET /api/auth/me/uses'>[number];
export type Ephemeral = RestAnswer<'GET /api/auth/me/ephemerals'>[number];
export type Component = NonNullable<Message['components']>['items'][number];
export type UsedComponent = Exclude<Component, { type: 'link' }>;
export type ComponentForm = NonNullable<Use['form']>;
export type Values = Record<string, string | number | boolean | string[] | null>;

/** A channel, or a thread in it. */
export interface Place {
  channelId: string;
  threadId: string | null;
}

/** A form that waits to be filled in. */
interface Asked {
  use: Use;
  form: ComponentForm;
}

/** What the user used of bots' messages, and what bots said to that. */
export class Interactions {
  /** The form that a bot has answered this device with. */
  readonly asked = signal<Use | null>(null);
  private readonly core: Core;
  /** Those that no bot is done with, by id. */
  private readonly uses = signal<ReadonlyMap<string, Use>>(new Map());
  private readonly replies = signal<readonly Ephemeral[]>([]);
  /** Components whose use is being sent. */
  private readonly sending = signal<ReadonlySet<string>>(new Set());
  /** Uses of this device: a form opens where it was asked for. */
  private readonly own = new Set<string>();
  /** When each use was last told of. */
  private readonly told = new Map<string, string>();
  private wasLoaded = false;
  private changes = 0;

  constructor(core: Core) {
    this.core = core;
    core.client.on('interaction:updated', (use) => this.note(use));
    core.client.on('ephemeral:created', (reply) => {
      this.changes++;
      this.put([...this.replies.peek(), reply]);
    });
    core.client.on('ephemeral:removed', ({ id }) => this.drop(id));
    core.client.on('reload', () => {
      if (this.wasLoaded) void core.connection.load(() => this.load());
    });
  }

  /** Loads what there is, once. */
  start(): () => void {
    if (this.wasLoaded) return () => {};
    this.wasLoaded = true;
    const { connection } = this.core;
    const load = () => connection.load(() => this.load());
    if (connection.state.peek().status === 'live') return load();
    // Before that it would miss what comes between its answer and the first event.
    connection.onceLive(load);
    return () => {};
  }

  /** What the user did with a component, if its bot is not done with that. */
  of(messageId: string, componentId: string): Use | undefined {
    for (const use of this.uses.value.values()) {
      const isOpen = use.state !== 'answered';
      if (isOpen && use.messageId === messageId && use.componentId === componentId) return use;
    }
    return undefined;
  }

  isSending(messageId: string, componentId: string): boolean {
    return this.sending.value.has(`${messageId} ${componentId}`);
  }

  /** What bots ask of the user for a message of theirs, or for commands in a place: of the same question the last. */
  formsFor(messageId: string | null, { channelId, threadId }: Place): Asked[] {
    const asked = new Map<string, Asked>();
    const inOrder = [...this.uses.value.values()].sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
    for (const use of inOrder) {
      const isHere = use.channelId === channelId && use.threadId === threadId && use.messageId === messageId;
      if (!isHere || !use.form || Date.parse(use.endsAt) <= Date.now()) continue;
      asked.set(`${use.agentId} ${use.componentId} ${use.form.title}`, { use, form: use.form });
    }
    return [...asked.values()];
  }

  /** Replies for the user alone in a channel or thread. */
  repliesIn(channelId: string, threadId: string | null): readonly Ephemeral[] {
    return this.replies.value.filter((reply) => reply.channelId === channelId && reply.threadId === threadId);
  }

  /** Uses a component. @throws ParleyError */
  async use(messageId: string, componentId: string, values: Values = {}): Promise<void> {
    const key = `${messageId} ${componentId}`;
    if (this.sending.peek().has(key)) return;
    this.sending.value = new Set(this.sending.peek()).add(key);
    try {
      const { client } = this.core;
      this.noteOwn(await client.rest('POST /api/messages/:id/uses', { id: messageId, body: { componentId, values } }));
    } finally {
      const others = new Set(this.sending.peek());
      others.delete(key);
      this.sending.value = others;
    }
  }

  /** Sends the form that a bot has answered with. @throws ParleyError */
  async submit({ id }: Use, values: Values): Promise<void> {
    this.noteOwn(await this.core.client.rest('POST /api/interactions/:id/form', { id, body: { values } }));
  }

  /** Commands that were invoked here, on this device, and wait for their bots. */
  commandsIn(channelId: string, threadId: string | null): readonly Use[] {
    const here = [...this.uses.value.values()].filter(
      (use) => use.channelId === channelId && use.threadId === threadId,
    );
    return here.filter(({ id, kind, form }) => kind === 'command' && form === null && this.own.has(id));
  }

  /** Takes note of a use of this device, which may have been answered before it is known here. */
  noteOwn(use: Use): void {
    this.own.add(use.id);
    const known = this.uses.peek().get(use.id);
    this.note(use);
    if (known?.form) this.asked.value = known;
  }

  async dismiss(id: string): Promise<void> {
    await this.core.client.rest('DELETE /api/auth/me/ephemerals/:id', { id });
    this.drop(id);
  }

  private async load(): Promise<void> {
    const before = this.changes;
    const [uses, replies] = await Promise.all([
      this.core.client.rest('GET /api/auth/me/uses'),
      this.core.client.rest('GET /api/auth/me/ephemerals'),
    ]);
    // An event that came meanwhile is newer.
    if (before !== this.changes) return this.load();
    this.uses.value = new Map(uses.map((use) => [use.id, use]));
    this.put(replies);
  }

  private note(use: Use): void {
    // Its events and the answer to the request overtake each other.
    if ((this.told.get(use.id) ?? '') > use.updatedAt) return;
    this.changes++;
    this.told.set(use.id, use.updatedAt);
    const uses = new Map(this.uses.peek());
    const before = uses.get(use.id)?.form ?? null;
    if (use.state === 'answered' && !use.form) uses.delete(use.id);
    else uses.set(use.id, use);
    this.uses.value = uses;
    const isAsked = this.asked.peek()?.id === use.id;
    // One that was closed stays so, whatever else the bot says.
    const isNew = JSON.stringify(before) !== JSON.stringify(use.form);
    if (use.form && (isAsked || (isNew && this.own.has(use.id)))) this.asked.value = use;
    else if (isAsked) this.asked.value = null;
  }

  private drop(id: string): void {
    this.changes++;
    this.replies.value = this.replies.peek().filter((reply) => reply.id !== id);
  }

  private put(replies: readonly Ephemeral[]): void {
    const now = Date.now();
    const known = new Map(replies.map((reply) => [reply.id, reply]));
    const shown = [...known.values()].filter(({ endsAt }) => Date.parse(endsAt) > now);
    this.replies.value = shown;
    const ends = Math.min(...shown.map(({ endsAt }) => Date.parse(endsAt)));
    if (Number.isFinite(ends)) this.core.scope.after(ends - now, () => this.put(this.replies.peek()));
  }
}
