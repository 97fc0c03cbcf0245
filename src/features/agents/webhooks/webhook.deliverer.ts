import { v5 as uuidFrom } from 'uuid';
import type { Actor } from '../../../contract/actor.ts';
import { channelDeleted } from '../../../contract/channel.ts';
import { AppError } from '../../../contract/errors.ts';
import type { FeedFilter } from '../../../delivery/feed-filter.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import { jittered } from '../../../infrastructure/jitter.ts';
import type { SealedText } from '../../../infrastructure/sealed-text.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { AgentIdentity } from '../../accounts/agent.identity.ts';
import type { Context } from '../../context.ts';
import type { Claim, LoggedEvent, WebhookCursors } from './cursor.table.ts';
import { signingSecrets } from './signature.ts';
import type { Outcome, WebhookSender } from './webhook.sender.ts';
import type { WebhookStops } from './webhook.stops.ts';

type Failure = Extract<Outcome, { delivered: false }>;

/** The data of one request. */
interface Envelope {
  id: string;
  body: string;
  /** The cursor's position once it has arrived. */
  seq: number;
}

/** The signals of a closing node: start nothing more, and then abort what is in progress. */
export interface StopSignals {
  closing: AbortController;
  leaving: AbortController;
}

const pageSize = 10;
/** Older reads are repeated, since messages may have been erased. */
const freshMs = 1000;
/** Until the caches of a node have caught up with the database. */
const unclearMs = 500;

interface Deps extends Pick<Context, 'channelAccess' | 'settings'> {
  cursors: WebhookCursors;
  sender: WebhookSender;
  stops: WebhookStops;
  sealed: SealedText;
  agentIdentity: AgentIdentity;
  feedFilter: FeedFilter;
}

/**
 * Delivers a room's new events to a webhook: one at a time, each retried until it arrives (contract §4). Nothing is
 * kept in memory between two attempts: what was erased, or what the bot may no longer get, is not sent.
 */
export class WebhookDeliverer {
  /** Requests sent by this node, for the operator. */
  readonly counters = { delivered: 0, failed: 0 };
  private readonly deps: Deps;
  private readonly settings: Settings['webhooks'];

  constructor(deps: Deps) {
    this.deps = deps;
    this.settings = deps.settings.webhooks;
  }

  /** Delivers until nothing is left, something fails, or another node holds the claim. */
  async deliver(claim: Claim, signals: StopSignals): Promise<void> {
    let isMine = true;
    while (isMine && !signals.closing.signal.aborted) {
      const { entries, lostUpTo } = await this.deps.cursors.read(claim, claim.seq, pageSize);
      const last = lostUpTo ?? entries.at(-1)?.seq;
      if (last === undefined) break;
      isMine =
        lostUpTo === null
          ? await this.deliverPage(claim, entries, last, signals)
          : await this.send(claim, lostEnvelope(claim, lostUpTo), signals);
    }
    if (isMine) await this.deps.cursors.release(claim);
  }

  /** @returns whether to continue with this claim */
  private async deliverPage(
    claim: Claim,
    entries: LoggedEvent[],
    last: number,
    signals: StopSignals,
  ): Promise<boolean> {
    const readAt = performance.now();
    const page = await this.heard(claim, entries);
    if (!page) return this.giveBack(claim, unclearMs);
    for (const entry of page) {
      if (signals.closing.signal.aborted) return this.giveBack(claim);
      // Checked again for each, since earlier ones may have taken long.
      const still = await this.heard(claim, [entry]);
      if (!still) return this.giveBack(claim, unclearMs);
      const [due] = still;
      if (due && !(await this.send(claim, envelopeOf(claim, due), signals))) return false;
      if (due && performance.now() - readAt > freshMs) return true;
    }
    return claim.seq >= last || this.moveOn(claim, last, false);
  }

  /**
   * The events that the bot may get at this moment. Null: it is stopped, or this node does not know its rooms yet; then
   * nothing may be skipped.
   */
  private async heard(claim: Claim, entries: LoggedEvent[]): Promise<LoggedEvent[] | null> {
    const actor = await this.deps.agentIdentity.actor(claim.userId);
    const among = actor ? await this.readable(actor, claim, entries) : null;
    if (!actor || !among) return null;
    const { entries: heard } = await this.deps.feedFilter.heard(actor, claim.room, among);
    const jsonOf = new Map(heard.map(({ seq, json }) => [seq, json]));
    return among.flatMap((entry) => {
      const json = jsonOf.get(entry.seq);
      return json === undefined ? [] : { ...entry, json };
    });
  }

  private async readable(actor: Actor, claim: Claim, entries: LoggedEvent[]): Promise<LoggedEvent[] | null> {
    if (claim.room.startsWith('user:')) return entries;
    try {
      await this.deps.channelAccess.entered(actor, claim.streamId);
      if (!(await this.deps.feedFilter.passes(actor, claim.room)))
        await this.deps.channelAccess.readable(actor, claim.streamId);
      return entries;
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      if (error.code === 'FORBIDDEN') return [];
      // The database knows memberships first; this node's caches follow.
      if (await this.deps.cursors.isIn(claim)) return null;
      return entries.filter(({ event }) => event === channelDeleted.name);
    }
  }

  /** @returns whether to continue with this claim */
  private async send(claim: Claim, { id, body, seq }: Envelope, { leaving }: StopSignals): Promise<boolean> {
    const secrets = signingSecrets(this.deps.sealed, claim.secret, claim.previousSecrets?.split(' ') ?? []);
    const outcome =
      secrets.length > 0
        ? await this.deps.sender.send({ url: claim.url, secrets, id, body }, leaving.signal)
        : failure('Its secret cannot be read any more; make a new one.');
    if (outcome.delivered) {
      this.counters.delivered++;
      return this.moveOn(claim, seq, true);
    }
    if (leaving.signal.aborted) return this.giveBack(claim);
    this.counters.failed++;
    await this.putOff(claim, outcome);
    return false;
  }

  private async moveOn(claim: Claim, seq: number, delivered: boolean): Promise<boolean> {
    claim.seq = seq;
    claim.attempts = 0;
    return this.deps.cursors.advance(claim, seq, delivered);
  }

  private async giveBack(claim: Claim, waitMs = 0): Promise<false> {
    await this.deps.cursors.release(claim, waitMs);
    return false;
  }

  private async putOff(claim: Claim, { error, gone, retryAfterMs }: Failure): Promise<void> {
    const { retryMs, retryMaxMs, giveUpSeconds } = this.settings;
    const backOff = jittered(Math.min(retryMs * 2 ** claim.attempts, retryMaxMs));
    const delay = Math.max(backOff, Math.min(retryAfterMs ?? 0, giveUpSeconds * 1000));
    const failingSeconds = await this.deps.cursors.putOff(claim, error, delay);
    if (failingSeconds === undefined) return;
    if (gone) await this.deps.stops.stop(claim.agentId, 'gone');
    else if (failingSeconds >= giveUpSeconds) await this.deps.stops.stop(claim.agentId, 'dead');
  }
}

function failure(error: string): Outcome {
  return { delivered: false, error, gone: false, retryAfterMs: null };
}

function envelopeOf({ agentId, room, streamId }: Claim, { event, seq, json, at }: LoggedEvent): Envelope {
  // The payload is JSON text already, and is sent byte for byte as sockets get it.
  const head = JSON.stringify({ type: event, timestamp: at, agentId, room, seq });
  return { id: idOf(agentId, `${streamId} ${seq}`), body: `${head.slice(0, -1)},"data":${json}}`, seq };
}

function lostEnvelope({ agentId, room, streamId, seq: after }: Claim, seq: number): Envelope {
  const channelId = room.startsWith('channel:') ? streamId : null;
  const data = { channelId, after, seq, recovered: false };
  const timestamp = dateNow().toISOString();
  const body = JSON.stringify({ type: 'events:lost', timestamp, agentId, room, seq, data });
  return { id: idOf(agentId, `${streamId} lost ${after} ${seq}`), body, seq };
}

/** The same for each attempt to send an event, on every node. */
function idOf(agentId: string, what: string): string {
  return `msg_${uuidFrom(what, agentId)}`;
}
