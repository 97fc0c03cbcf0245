import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../../../contract/actor.ts';
import { isoTime } from '../../../contract/schema.ts';
import type { OpenStreamRecord } from '../../../contract/stream.ts';
import type { AgentIdentity } from '../../accounts/agent.identity.ts';
import type { Context } from '../../context.ts';
import type { StreamLeases } from './stream.leases.ts';
import type { ReplyStreams } from './stream.service.ts';
import type { StreamStore } from './stream.store.ts';
import type { KeptStream, StreamPlace } from './stream.table.ts';

/** Those who come within this time share what is read. */
const gatherMs = 20;
/** Of one channel; there are hardly ever more. */
const maxListed = 50;

/** What is in progress; the text of each is read once, when it is asked for. */
interface Gathered {
  places: Map<string, StreamPlace[]>;
  textOf(place: StreamPlace): Promise<KeptStream | undefined>;
}

interface Deps extends Pick<Context, 'channelAccess'> {
  agentIdentity: AgentIdentity;
  streams: ReplyStreams;
  store: StreamStore;
  leases: StreamLeases;
}

/** The replies in progress on all nodes, with their text so far, for those who come (contract §9). */
export class StreamList {
  private readonly deps: Deps;
  private gathering: Promise<Gathered> | undefined;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Those of a channel; for a bot its own. @throws AppError like `ChannelAccess.readable` */
  async of(actor: Actor, channelId: string): Promise<{ streams: OpenStreamRecord[] }> {
    await this.deps.channelAccess.readable(actor, channelId);
    const streams = await this.among(new Set([channelId]));
    return { streams: streams.filter(({ userId }) => !actor.user.isBot || userId === actor.userId) };
  }

  /** Those of these channels, as they are some moment after now. */
  async among(channelIds: ReadonlySet<string>): Promise<OpenStreamRecord[]> {
    const { places, textOf } = await this.gather();
    const found = [...channelIds].flatMap((id) => places.get(id)?.slice(0, maxListed) ?? []);
    const records = await Promise.all(found.map(async (place) => this.recordOf(await textOf(place))));
    return records.flatMap((record) => record ?? []);
  }

  private gather(): Promise<Gathered> {
    this.gathering ??= delay(gatherMs).then(() => {
      this.gathering = undefined;
      return this.read();
    });
    return this.gathering;
  }

  private async read(): Promise<Gathered> {
    const { leases, streams, store } = this.deps;
    const shared = await leases.inProgress();
    const { here } = streams;
    const places = Map.groupBy(shared ?? here.map(({ place }) => place), ({ channelId }) => channelId);
    const texts = new Map<StreamPlace, Promise<KeptStream | undefined>>();
    const read = async (place: StreamPlace) => {
      const own = here.find((kept) => kept.place === place);
      if (own) return own;
      const found = await store.find(place);
      return found === 'ended' ? undefined : found?.kept;
    };
    const textOf = (place: StreamPlace) => {
      const text = texts.get(place) ?? read(place);
      texts.set(place, text);
      return text;
    };
    return { places, textOf };
  }

  /** Nobody knows the text of one of which pieces are missing. */
  private async recordOf(kept: KeptStream | undefined): Promise<OpenStreamRecord | null> {
    if (!kept || kept.isBroken) return null;
    const author = (await this.deps.agentIdentity.actor(kept.place.userId))?.user;
    if (!author) return null;
    const { place, replyToId, content, shown, startedAt } = kept;
    const said = { content: content.slice(0, shown), length: content.length };
    return { ...place, author, replyToId, ...said, startedAt: isoTime(new Date(startedAt)) };
  }
}
