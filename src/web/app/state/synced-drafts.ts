import { ParleyError, type RestAnswer } from '../../../client/index.ts';
import { keysOf } from '../../../client/store.ts';
import type { Attachments } from './attachments.ts';
import { type Begun, isEmpty, isSame, merged, nothing } from './draft-merge.ts';
import type { Drafts } from './drafts.ts';
import type { ReplyTarget } from './reply-targets.ts';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';

type Draft = RestAnswer<'GET /api/drafts'>[number];

interface Place {
  channelId: string;
  threadId: string | null;
}

/** What the draft here was made from: the server's, as last known. */
interface Base extends Place, Begun {
  /** Null: there was none. */
  revision: number | null;
}

/** How long typing rests before the draft is sent to the server. */
const restMs = 1500;

const idOf = ({ channelId, threadId }: Place): string => threadId ?? channelId;

/**
 * Keeps the drafts of conversations the same on all devices of the user, with their files and what they answer. What is typed
 * is stored here first, and sent to the server with the revision that it was made from. If that was changed elsewhere, the
 * newer text is shown, and what was typed here meanwhile follows below it: nothing is lost.
 */
export class SyncedDrafts {
  private readonly core: Core;
  private readonly drafts: Drafts;
  private readonly attachments: Attachments;
  /** Conversations that were opened, by id. */
  private readonly places = new Map<string, Place>();
  private readonly timers = new Map<string, () => void>();
  /** Work on one draft is done one piece after the other, over all tabs: they share what is stored. */
  private readonly turns = new Map<string, Promise<void>>();
  /** The change under way comes from the server. */
  private isShowing = false;

  constructor(core: Core, drafts: Drafts, attachments: Attachments) {
    this.core = core;
    this.drafts = drafts;
    this.attachments = attachments;
    drafts.onKept = (id) => this.kept(id);
    drafts.replies.onChanged = (id) => this.kept(id);
    attachments.onChanged = (id) => this.kept(id);
    core.client.on('draft:updated', ({ revision, ...place }) => {
      if (this.base(idOf(place))?.revision !== revision) this.refresh(place);
    });
  }

  /** What is typed in this conversation from now on is synchronised. */
  follow(place: Place): void {
    this.places.set(idOf(place), place);
  }

  /** Reads all drafts, and sends what was written without a connection. */
  async load(): Promise<void> {
    const list = await this.core.client.rest('GET /api/drafts').catch(unlessRefused);
    // A server of an earlier version keeps none.
    if (!list) return;
    for (const draft of list) this.inTurn(idOf(draft), () => this.apply(draft, draft));
    const listed = new Set(list.map(idOf));
    for (const key of keysOf(this.core.scope.local, keptKeys.draftBase)) {
      const base = this.base(key.slice(keptKeys.draftBase.length));
      if (!base) continue;
      if (base.revision !== null && !listed.has(idOf(base))) this.refresh(base);
      else this.send(idOf(base));
    }
  }

  private kept(id: string): void {
    const place = this.base(id) ?? this.places.get(id);
    if (this.isShowing || !place) return;
    if (!this.base(id)) this.setBase({ ...place, ...nothing, revision: null });
    this.timers.get(id)?.();
    // What was sent or discarded must not show up elsewhere.
    const ms = isEmpty(this.begun(id)) ? 0 : restMs;
    this.timers.set(
      id,
      this.core.scope.after(ms, () => this.send(id)),
    );
  }

  /** What the user has begun to write here. */
  private begun(id: string): Begun {
    const { files } = this.attachments.peek(id);
    return { content: this.drafts.of(id), files, replyToId: this.drafts.replies.peek(id)?.id ?? null };
  }

  private send(id: string): void {
    this.inTurn(id, () => this.sendNow(id));
  }

  private refresh({ channelId, threadId }: Place): void {
    const place = { channelId, threadId };
    this.inTurn(idOf(place), () => this.refreshNow(place));
  }

  /** What fails for now is tried again; a conversation that is gone, or a text that is too long, stays here only. */
  private inTurn(id: string, work: () => Promise<void>): void {
    const before = this.turns.get(id) ?? Promise.resolve();
    const alone = () => this.core.surroundings.alone(`parley:draft:${id}`, work);
    const turn = before.then(alone).catch((error) => {
      const isRefused = error instanceof ParleyError && !error.isPassing;
      if (!isRefused) this.core.connection.whenReachable(() => this.inTurn(id, work));
      else if (error.status === 404) this.dropBase(id);
    });
    this.turns.set(id, turn);
  }

  private async sendNow(id: string): Promise<void> {
    const base = this.base(id);
    const begun = this.begun(id);
    if (!base || isSame(begun, base)) return;
    const { channelId, threadId, revision } = base;
    const { client } = this.core;
    try {
      if (!isEmpty(begun)) {
        const { content, files, replyToId } = begun;
        const attachments = files.map((file) => ({ id: file.id }));
        const body = { threadId, content, attachments, replyToId, revision };
        const { draft } = await client.rest('PUT /api/channels/:channelId/draft', { channelId, body });
        if (draft) this.setBase({ ...draft, ...begunOf(draft) });
        else this.dropBase(id);
        this.dropFiles(id, begun, draft);
      } else {
        const query = { revision: revision ?? 0, ...(threadId ? { threadId } : {}) };
        if (revision !== null) await client.rest('DELETE /api/channels/:channelId/draft', { channelId, query });
        this.dropBase(id);
      }
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'DRAFT_CHANGED') throw error;
      await this.refreshNow(base);
    }
  }

  /** The server left out what was sent elsewhere meanwhile, or is there no more: it cannot be sent from here either. */
  private dropFiles(id: string, sent: Begun, draft: Draft | null): void {
    const kept = new Set(draft?.attachments.map((file) => file.id));
    const gone = new Set(sent.files.filter((file) => !kept.has(file.id)).map((file) => file.id));
    if (gone.size === 0) return;
    const { files } = this.attachments.peek(id);
    this.showing(() =>
      this.attachments.replace(
        id,
        files.filter((file) => !gone.has(file.id)),
      ),
    );
  }

  private async refreshNow({ channelId, threadId }: Place): Promise<void> {
    const query = threadId ? { threadId } : {};
    const { draft } = await this.core.client.rest('GET /api/channels/:channelId/draft', { channelId, query });
    await this.apply({ channelId, threadId }, draft);
  }

  /** Takes over what the server has. */
  private async apply(place: Place, draft: Draft | null): Promise<void> {
    const id = idOf(place);
    // Before anything is looked at: meanwhile the user types on.
    const target = draft?.replyToId ? await this.targetOf(id, draft.replyToId) : null;
    const base = this.base(id);
    const begun = this.begun(id);
    if (!draft) {
      if (!base || base.revision === null) return;
      if (isSame(begun, base)) {
        this.dropBase(id);
        this.show(id, nothing, null);
      } else {
        this.setBase({ ...place, ...nothing, revision: null });
        this.send(id);
      }
      return;
    }
    if (base && base.revision !== null && draft.revision <= base.revision) return;
    const theirs = begunOf(draft);
    this.setBase({ ...draft, ...theirs });
    const whole = merged(base ?? nothing, begun, theirs);
    this.show(id, whole, whole.replyToId === theirs.replyToId ? target : this.drafts.replies.peek(id));
    if (isSame(this.begun(id), theirs)) return;
    if (whole.content !== begun.content && whole.content !== theirs.content) {
      this.core.toasts.show(
        this.core.texts.peek().t('This draft was changed on another device. What you wrote here is below it.'),
      );
    }
    this.send(id);
  }

  /** The message that a draft answers; null: it cannot be answered any more. */
  private async targetOf(id: string, replyToId: string): Promise<ReplyTarget | null> {
    const known = this.drafts.replies.peek(id);
    if (known?.id === replyToId) return known;
    const message = await this.core.client.rest('GET /api/messages/:id', { id: replyToId }).catch(unlessRefused);
    return message && { id: replyToId, name: message.author.displayName };
  }

  private show(id: string, { content, files }: Begun, target: ReplyTarget | null): void {
    const before = this.begun(id);
    this.showing(() => {
      if (content !== before.content) this.drafts.set(id, content);
      if (!isSame({ ...before, files }, before)) this.attachments.replace(id, files);
      this.drafts.replies.set(id, target);
    });
  }

  /** What is changed meanwhile comes from the server. */
  private showing(change: () => void): void {
    this.isShowing = true;
    change();
    this.isShowing = false;
  }

  private base(id: string): Base | undefined {
    const stored = this.core.scope.local.getItem(keptKeys.draftBase + id);
    // Earlier versions kept texts alone.
    return stored === null ? undefined : { ...nothing, ...JSON.parse(stored) };
  }

  private setBase({ channelId, threadId, revision, content, files, replyToId }: Base): void {
    const base: Base = { channelId, threadId, revision, content, files, replyToId };
    this.core.scope.local.setItem(keptKeys.draftBase + idOf(base), JSON.stringify(base));
  }

  private dropBase(id: string): void {
    this.core.scope.local.removeItem(keptKeys.draftBase + id);
  }
}

function begunOf({ content, attachments, replyToId }: Draft): Begun {
  // A server of an earlier version keeps no files.
  return { content, files: attachments ?? [], replyToId };
}

function unlessRefused(error: unknown): null {
  if (error instanceof ParleyError && !error.isPassing) return null;
  throw error;
}
