import { presenceActivity } from '../../contract/presence.ts';
import { channelRoom } from '../../contract/rooms.ts';
import type { Ephemeral } from '../../delivery/ephemeral.ts';
import type { RedisConnections } from '../../infrastructure/redis.ts';
import { type Activity, ActivityStore, maxOfChannel } from './activity.store.ts';

/** One of a socket of this node. */
interface Held extends Activity {
  serverId: string | null;
}

/** What someone is doing in a channel. */
interface Doing {
  userId: string;
  activity: string;
}

/** Where an activity is. */
type Place = Pick<Held, 'channelId' | 'serverId'>;

const renewMs = 2000;
const holdMs = 6000;
/** Of one socket; the oldest ends first. */
const maxOfSocket = 50;

/**
 * The activities of people in channels (contract §9). Each belongs to the socket that set it, and ends with it, with
 * its place in the channel, or when its node is gone.
 */
export class Activities {
  private readonly ephemeral: Ephemeral;
  private readonly redis: RedisConnections | null;
  private readonly store: ActivityStore | null;
  private readonly keptMs: number;
  /** Socket → channel → its activity there. */
  private readonly held = new Map<string, Map<string, Held>>();
  /** Channel → user → the activity that holds there, or has ended lately; of this node alone. */
  private readonly here = new Map<string, Map<string, Activity>>();
  private readonly forgetting = new Set<NodeJS.Timeout>();
  private timer: NodeJS.Timeout | undefined;

  /** @param keptMs how long a client may be cut off and still get the activities that have ended meanwhile */
  constructor(ephemeral: Ephemeral, redis: RedisConnections | null, keptMs: number) {
    this.ephemeral = ephemeral;
    this.redis = redis;
    this.keptMs = keptMs;
    this.store = redis && new ActivityStore(redis, { holdMs, keptMs });
  }

  /** From now on this node renews its sockets' activities, and ends those of nodes that are gone. */
  start(): void {
    if (this.store) this.timer = setInterval(() => void this.renew().catch(() => {}), renewMs).unref();
  }

  close(): void {
    clearInterval(this.timer);
    for (const timer of this.forgetting) clearTimeout(timer);
  }

  /** Sets someone's activity. The caller has checked that it may. */
  async say(socketId: string, place: Place, userId: string, activity: string): Promise<void> {
    const { channelId } = place;
    const said = { ...place, userId, owner: socketId, activity };
    const own = this.held.get(socketId) ?? new Map<string, Held>();
    this.held.set(socketId, own);
    own.delete(channelId);
    const [oldest] = own.values();
    if (oldest && own.size >= maxOfSocket) await this.end(oldest);
    own.set(channelId, said);
    const isFull = (this.here.get(channelId)?.size ?? 0) >= maxOfChannel && !this.here.get(channelId)?.has(userId);
    const states = this.redis?.healthy ? await this.store?.put([said], true).catch(() => undefined) : undefined;
    // Emitting one too many would leave it without an end for clients that recover.
    if (isFull || states?.[0] === 'lost') return this.forget(said);
    this.remember(said);
    this.emit(said, socketId);
  }

  /** Ends a socket's activities in the channels that `isMeant` names; it needs no access to them any more. */
  async endOf(socketId: string, isMeant: (place: Place) => boolean = () => true): Promise<void> {
    const own = [...(this.held.get(socketId)?.values() ?? [])];
    await Promise.all(own.filter(isMeant).map((held) => this.end(held)));
  }

  /** Ends what someone is doing in a server, on this node's sockets. */
  async endIn(serverId: string, userId: string): Promise<void> {
    const all = [...this.held.values()].flatMap((own) => [...own.values()]);
    await Promise.all(
      all.filter((held) => held.userId === userId && held.serverId === serverId).map((held) => this.end(held)),
    );
  }

  /** Those of a channel, each person's last one. */
  async of(channelId: string): Promise<Doing[]> {
    return current(await this.known(channelId));
  }

  /** Those of some users there: however many others have one. */
  async among(channelId: string, userIds: string[]): Promise<Doing[]> {
    const isShared = this.redis?.healthy === true && userIds.length > 0;
    const shared = isShared ? await this.store?.among(channelId, userIds).catch(() => undefined) : undefined;
    const here = this.here.get(channelId);
    return current(shared ?? userIds.flatMap((userId) => here?.get(userId) ?? []));
  }

  /** What someone briefly cut off may not know of a channel: activities, and those that have ended lately. */
  async known(channelId: string): Promise<Activity[]> {
    const shared = this.redis?.healthy ? await this.store?.of(channelId).catch(() => undefined) : undefined;
    return shared ?? [...(this.here.get(channelId)?.values() ?? [])];
  }

  private async end(held: Held): Promise<void> {
    this.forget(held);
    const isLastHere = this.here.get(held.channelId)?.get(held.userId)?.owner === held.owner;
    const isLast = this.redis?.healthy ? await this.store?.end(held).catch(() => undefined) : undefined;
    if (isLastHere) this.remember({ ...held, activity: null });
    if (isLast ?? isLastHere) this.emit({ ...held, activity: null });
  }

  private async renew(): Promise<void> {
    if (!this.store || !this.redis?.healthy) return;
    const all = [...this.held.values()].flatMap((own) => [...own.values()]);
    const states = await this.store.put(all, false);
    for (const [index, held] of all.entries()) {
      const isHeld = this.held.get(held.owner)?.get(held.channelId) === held;
      // It ended during the call, and was put back by it.
      if (!isHeld) await this.store.end(held);
      else if (states[index] === 'lost') this.forget(held);
      // Redis had lost it, or another node considered this one dead.
      else if (states[index] === 'new') this.emit(held);
    }
    for (const { channelId, userId } of await this.store.takeOverdue()) {
      this.emit({ channelId, userId, activity: null });
    }
  }

  private forget({ owner, channelId }: Held): void {
    const own = this.held.get(owner);
    own?.delete(channelId);
    if (own?.size === 0) this.held.delete(owner);
  }

  private remember(said: Activity): void {
    const { channelId, userId } = said;
    const people = this.here.get(channelId) ?? new Map<string, Activity>();
    this.here.set(channelId, people);
    people.set(userId, said);
    if (said.activity !== null) return;
    const timer = setTimeout(() => {
      this.forgetting.delete(timer);
      if (people.get(userId) !== said) return;
      people.delete(userId);
      if (people.size === 0 && this.here.get(channelId) === people) this.here.delete(channelId);
    }, this.keptMs).unref();
    this.forgetting.add(timer);
  }

  private emit({ channelId, userId, activity }: Omit<Activity, 'owner'>, exceptSocket?: string): void {
    this.ephemeral.emit([channelRoom(channelId)], presenceActivity, { channelId, userId, activity }, exceptSocket);
  }
}

function current(known: Activity[]): Doing[] {
  return known.flatMap(({ userId, activity }) => (activity === null ? [] : [{ userId, activity }]));
}
