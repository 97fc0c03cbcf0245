import { ParleyError, type RestAnswer } from '../../../client/index.ts';
import { keysOf } from '../../../client/store.ts';
import type { Drafts } from './drafts.ts';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';

type Draft = RestAnswer<'GET /api/drafts'>[number];

interface Place {
  channelId: string;
  threadId: string | null;
}

/** What the draft here was made from: the server's, as last known. */
interface Base extends Place {
  /** Null: there was none. */
  revision: number | null;
  content: string;
}

/** How long typing rests before the draft is sent to the server. */
const restMs = 1500;

const idOf = ({ channelId, threadId }: Place): string => threadId ?? channelId;

/**
 * Keeps the drafts of conversations the same on all devices of the user. What is typed is stored here first, and sent to the
 * server with the revision that it was made from. If that was changed elsewhere, the newer text is shown, and what was
 * typed here meanwhile follows below it: nothing is lost.
 */
export class SyncedDrafts {
  private readonly core: Core;
  private readonly drafts: Drafts;
  /** Conversations that were opened, by id. */
  private readonly places = new Map<string, Place>();
  private readonly timers = new Map<string, () => void>();
  /** Work on one draft is done one piece after the other. */
  private readonly turns = new Map<string, Promise<void>>();
  /** The change under way comes from the server. */
  private isShowing = false;

  constructor(core: Core, drafts: Drafts) {
    this.core = core;
    this.drafts = drafts;
    drafts.onKept = (id) => this.kept(id);
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
    for (const draft of list) this.inTurn(idOf(draft), async () => this.apply(draft, draft));
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
    if (!this.base(id)) this.setBase({ ...place, revision: null, content: '' });
    this.timers.get(id)?.();
    // What was sent or discarded must not show up elsewhere.
    const ms = this.drafts.of(id) === '' ? 0 : restMs;
    this.timers.set(
      id,
      this.core.scope.after(ms, () => this.send(id)),
    );
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
    const turn = before.then(work).catch((error) => {
      const isRefused = error instanceof ParleyError && !error.isPassing;
      if (!isRefused) this.core.connection.whenReachable(() => this.inTurn(id, work));
      else if (error.status === 404) this.dropBase(id);
    });
    this.turns.set(id, turn);
  }

  private async sendNow(id: string): Promise<void> {
    const base = this.base(id);
    const text = this.drafts.of(id);
    if (!base || text === base.content) return;
    const { channelId, threadId, revision } = base;
    try {
      if (text !== '') {
        const body = { threadId, content: text, revision };
        const { draft } = await this.core.client.rest('PUT /api/channels/:channelId/draft', { channelId, body });
        if (draft) this.setBase(draft);
      } else {
        const query = { revision: revision ?? 0, ...(threadId ? { threadId } : {}) };
        if (revision !== null)
          await this.core.client.rest('DELETE /api/channels/:channelId/draft', { channelId, query });
        this.dropBase(id);
      }
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'DRAFT_CHANGED') throw error;
      await this.refreshNow(base);
    }
  }

  private async refreshNow({ channelId, threadId }: Place): Promise<void> {
    const query = threadId ? { threadId } : {};
    const { draft } = await this.core.client.rest('GET /api/channels/:channelId/draft', { channelId, query });
    this.apply({ channelId, threadId }, draft);
  }

  /** Takes over what the server has. */
  private apply(place: Place, draft: Draft | null): void {
    const id = idOf(place);
    const base = this.base(id);
    const text = this.drafts.of(id);
    const isUntouched = text === (base?.content ?? '');
    if (!draft) {
      if (!base || base.revision === null) return;
      if (isUntouched) this.dropBase(id);
      else this.setBase({ ...place, revision: null, content: '' });
      if (isUntouched) this.show(id, '');
      else this.send(id);
      return;
    }
    if (base && base.revision !== null && draft.revision <= base.revision) return;
    this.setBase(draft);
    const whole = isUntouched ? draft.content : together(draft.content, text);
    if (whole !== text) this.show(id, whole);
    if (whole === draft.content) return;
    if (whole !== text) {
      this.core.toasts.show('A draft was changed on another device. What you wrote here follows below it.');
    }
    this.send(id);
  }

  private show(id: string, text: string): void {
    this.isShowing = true;
    this.drafts.set(id, text);
    this.isShowing = false;
  }

  private base(id: string): Base | undefined {
    const stored = this.core.scope.local.getItem(keptKeys.draftBase + id);
    return stored === null ? undefined : JSON.parse(stored);
  }

  private setBase({ channelId, threadId, revision, content }: Base): void {
    const base: Base = { channelId, threadId, revision, content };
    this.core.scope.local.setItem(keptKeys.draftBase + idOf(base), JSON.stringify(base));
  }

  private dropBase(id: string): void {
    this.core.scope.local.removeItem(keptKeys.draftBase + id);
  }
}

function unlessRefused(error: unknown): null {
  if (error instanceof ParleyError && !error.isPassing) return null;
  throw error;
}

/** Both texts, the newer one first, unless one has the other in it. */
function together(newer: string, own: string): string {
  if (newer.includes(own)) return newer;
  return own.includes(newer) ? own : `${newer}\n${own}`;
}
