import { expect } from 'chai';
import { randomOf, seedOfRun } from '../rig/random.ts';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';
import { Replica } from './replica.ts';

const refusal = Promise.resolve({ status: 400 });

/** People who do what comes to their minds. */
class Crowd {
  private readonly people: Person[];
  private readonly serverId: string;
  /** The one that stays. */
  private readonly general: string;
  private readonly random: (below: number) => number;
  private count = 0;
  refused = 0;
  done = 0;

  constructor(people: Person[], place: { serverId: string; general: string }, random: (below: number) => number) {
    this.people = people;
    this.serverId = place.serverId;
    this.general = place.general;
    this.random = random;
  }

  /** One thing by someone; what may not be done is refused, as it should be. */
  async act(): Promise<void> {
    const who = this.pick(this.people);
    const channels: Loose[] = (await who.get(`/api/servers/${this.serverId}/channels`)).body;
    const channel = this.pick(channels);
    const at = `/api/channels/${channel.id}`;
    const page = (await who.get(`${at}/messages?include=threads&limit=30`)).body;
    const message = this.pick<Loose>(page.messages?.length ? page.messages : [{ id: channel.id }]);
    const threads: Loose[] = (await who.get(`${at}/threads`)).body;
    const thread = this.pick<Loose>(Array.isArray(threads) && threads.length > 0 ? threads : [{ id: channel.id }]);
    const content = `text ${++this.count}`;
    const emoji = ['👍', '🎉', '🏳️‍🌈', ':shrug:'][this.random(4)];
    const acts: (() => Promise<{ status: number }>)[] = [
      () => who.post(`${at}/messages`, { content }),
      () => who.post(`${at}/messages`, { content, metadata: { n: this.count } }),
      () =>
        who.post(`${at}/messages`, {
          content: `@${this.pick(this.people).username} ${content}`,
          replyToId: message.id,
        }),
      () => who.post(`/api/threads/${thread.id}/messages`, { content }),
      () => who.post(`/api/threads/${thread.id}/messages`, { content, replyToId: message.id }),
      () => who.post(`/api/messages/${message.id}/thread`),
      () => who.patch(`/api/messages/${message.id}`, { content: `${content} edited` }),
      () => who.delete(`/api/messages/${message.id}`),
      () => who.post(`/api/messages/${message.id}/reactions`, { emoji }),
      () => who.post(`/api/messages/${message.id}/reactions`, { emoji }),
      () => who.delete(`/api/messages/${message.id}/reactions/${encodeURIComponent(emoji ?? '')}`),
      () => who.post(`/api/messages/${message.id}/pin`),
      () => who.delete(`/api/messages/${message.id}/pin`),
      () => who.put(`${at}/read`, { messageId: message.id }),
      () => who.patch(`/api/threads/${thread.id}`, { name: content }),
      () => this.rarely(() => who.delete(`/api/threads/${thread.id}`)),
      () => who.patch(at, { name: content, topic: content }),
      () => this.rarely(() => who.post(`/api/servers/${this.serverId}/channels`, { name: content })),
      () => this.rarely(() => who.post(`/api/servers/${this.serverId}/channels`, { name: content, isPrivate: true })),
      () => (channel.isPrivate ? this.rarely(() => who.post(`${at}/archive`)) : refusal),
      () => (channel.id === this.general ? refusal : this.rarely(() => who.delete(at))),
      () => who.patch(`/api/servers/${this.serverId}/channels/positions`, { channelIds: [channel.id] }),
      () => who.patch(`/api/servers/${this.serverId}`, { description: content }),
    ];
    const answer = await this.pick(acts)();
    const { status } = answer;
    expect(status, `a failure of ours: ${JSON.stringify(answer)}`).to.be.lessThan(500);
    if (status < 300) this.done++;
    else this.refused++;
  }

  private rarely(act: () => Promise<{ status: number }>): Promise<{ status: number }> {
    return this.random(4) === 0 ? act() : refusal;
  }

  private pick<T>(items: T[]): T {
    const item = items[this.random(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}

/** Part by part, so that a difference can be read. */
function expectSame(state: Loose, fresh: Loose, when: string): void {
  expect(state.server, when).to.deep.equal(fresh.server);
  expect(state.members, when).to.deep.equal(fresh.members);
  for (const [i, place] of fresh.channels.entries()) {
    const own = state.channels[i];
    expect(own.item, when).to.deep.equal(place.item);
    expect(own.pins, when).to.deep.equal(place.pins);
    expect(own.threads, when).to.deep.equal(place.threads);
    for (const [m, message] of place.messages.entries()) expect(own.messages[m], when).to.deep.equal(message);
  }
  expect(state, when).to.deep.equal(fresh);
}

describe('state and events', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('make, for everyone, what a fresh look shows, whatever many do at once on all nodes', async () => {
    const { alice, bob, carol, server, channel, cluster } = here;
    const dave = await register(cluster.nodes.at(-1) ?? alice.node);
    for (const person of [carol, dave]) await person.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'admin' });
    await alice.patch(`/api/servers/${server.id}/members/${carol.id}`, { role: 'moderator' });
    for (let i = 0; i < 5; i++) await bob.say(channel.id, `before ${i}`);
    const seed = seedOfRun();
    const crowd = new Crowd([alice, bob, carol, dave], { serverId: server.id, general: channel.id }, randomOf(seed));
    const replicas = [alice, bob, dave].map((person) => new Replica(person, server.id));
    await Promise.all(replicas.map((replica) => replica.start()));
    for (let round = 0; round < 12; round++) {
      await Promise.all(Array.from({ length: 40 }, () => crowd.act()));
      if (round % 4 !== 3) continue;
      for (const replica of replicas) {
        await replica.settle();
        expectSame(replica.state(), await replica.fresh(), `seed ${seed}, round ${round}`);
      }
    }
    dave.hangUp();
    expect(crowd.done).to.be.greaterThan(150);
    expect(crowd.refused).to.be.greaterThan(10);
  });
});
