import { expect } from 'chai';
import type { Rows } from '../../src/database/database.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Answer, Listener, Loose, Person } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const countOf = async (rows: Rows, channelId: string, authorId: string) =>
  (
    await rows<{ messages: number; head: number }>(
      `SELECT count(*)::int AS messages, (SELECT last_seq FROM streams WHERE id = $1) AS head
       FROM messages WHERE channel_id = $1 AND author_id = $2`,
      [channelId, authorId],
    )
  )[0];

/** A person on every node, so that what is under way is spread over all of them. */
const everywhere = (person: Person, here: World) => here.cluster.nodes.map((node) => person.on(node));

describe('who loses access while what they sent is under way', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  /**
   * Sends without a pause over sockets and REST, on all nodes, thirty messages at any time; `end` takes access away in the
   * middle.
   * @returns how many were committed by the time of its answer and in the end, and all answers
   */
  async function burst(sender: Person, channelId: string, end: () => Promise<Answer>) {
    const places = everywhere(sender, here);
    const listeners = await Promise.all(places.map((place) => place.connect()));
    const answers: Loose[] = [];
    let isOver = false;
    const lane = async (send: (body: object) => Promise<Loose>) => {
      for (let i = 0; !isOver; i++) answers.push(await send({ content: `in flight ${i}` }));
    };
    const overRest = (place: Person) =>
      lane(async (body) => (await place.post(`/api/channels/${channelId}/messages`, body)).body);
    const overSocket = (listener: Listener) =>
      lane((body) =>
        Promise.all(
          Array.from({ length: 5 }, () =>
            listener.emit('message:send', { channelId, ...body }).catch(() => ({ cutOff: true })),
          ),
        ),
      );
    const lanes = [
      ...places.flatMap((place) => Array.from({ length: 5 }, () => overRest(place))),
      ...listeners.flatMap((listener) => Array.from({ length: 2 }, () => overSocket(listener))),
    ];
    return withRows(here.cluster.databaseUrl, async (rows) => {
      await until(() => answers.length > 30);
      const { status } = await end();
      const atAnswer = await countOf(rows, channelId, sender.id);
      isOver = true;
      await Promise.all(lanes);
      const atEnd = await countOf(rows, channelId, sender.id);
      for (const listener of listeners) listener.close();
      expect(status).to.be.below(300);
      return { atAnswer, atEnd, answers: answers.flat() };
    });
  }

  const codesOf = (answers: Loose[]) => [...new Set(answers.map((answer) => answer.code).filter(Boolean))];

  /** Someone with a socket's worth of rate limit to spare, in the server. */
  async function newcomer(index: number): Promise<Person> {
    const node = here.cluster.nodes[index % here.cluster.nodes.length];
    if (!node) throw new Error('no node');
    const person = await register(node);
    // Kicks renew the code.
    const { inviteCode } = (await here.alice.get(`/api/servers/${here.server.id}`)).body;
    await person.post(`/api/servers/${here.server.id}/join`, { inviteCode });
    return person;
  }

  it('writes no DM after the answer to a block', async () => {
    const sender = await newcomer(0);
    const { alice } = here;
    const dm = (await sender.post('/api/dm/channels', { userId: alice.id })).body;
    await sender.say(dm.id, 'first');
    const end = () => alice.put(`/api/friends/blocks/${sender.id}`);
    const { atAnswer, atEnd, answers } = await burst(sender, dm.id, end);
    expect(atEnd?.messages).to.equal(atAnswer?.messages);
    expect(codesOf(answers)).to.include('BLOCKED');
  });

  it('writes nothing after the answer to a kick', async () => {
    const sender = await newcomer(1);
    await sender.say(here.channel.id, 'first');
    const end = () => here.alice.delete(`/api/servers/${here.server.id}/members/${sender.id}`);
    const { atAnswer, atEnd } = await burst(sender, here.channel.id, end);
    expect(atEnd?.messages).to.equal(atAnswer?.messages);
  });

  it('writes nothing after the answer to a timeout, nor do their bots', async () => {
    const sender = await newcomer(0);
    const robot = await botIn(here.server, await newcomer(1));
    const ownerOf = (await here.alice.get(`/api/servers/${here.server.id}/members`)).body.find(
      ({ userId }: Loose) => userId === robot.id,
    ).agent.ownerId;
    for (const [who, held] of [
      [sender, sender.id],
      [robot, ownerOf],
    ] as const) {
      await who.say(here.channel.id, 'first');
      const end = () =>
        here.alice.put(`/api/servers/${here.server.id}/members/${held}/timeout`, { seconds: 3600, reason: 'enough' });
      const { atAnswer, atEnd, answers } = await burst(who, here.channel.id, end);
      expect(atEnd?.messages).to.equal(atAnswer?.messages);
      expect(codesOf(answers)).to.include('TIMED_OUT');
    }
    robot.hangUp();
  });

  it('writes nothing after the answer to a removal from a private channel', async () => {
    const sender = await newcomer(0);
    const { alice, server } = here;
    const secret = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'secret', isPrivate: true })).body;
    await alice.post(`/api/channels/${secret.id}/members`, { userId: sender.id });
    await sender.say(secret.id, 'first');
    const end = () => alice.delete(`/api/channels/${secret.id}/members/${sender.id}`);
    const { atAnswer, atEnd } = await burst(sender, secret.id, end);
    expect(atEnd?.messages).to.equal(atAnswer?.messages);
  });

  it('writes no announcement after the answer to a demotion, and goes on elsewhere', async () => {
    const sender = await newcomer(1);
    const { alice, server, channel } = here;
    const role = (name: string) => alice.patch(`/api/servers/${server.id}/members/${sender.id}`, { role: name });
    await role('admin');
    const news = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'news', type: 'announcement' })).body;
    await sender.say(news.id, 'first');
    const { atAnswer, atEnd, answers } = await burst(sender, news.id, () => role('member'));
    expect(atEnd?.messages).to.equal(atAnswer?.messages);
    expect(codesOf(answers)).to.include('ROLE_REQUIRED');
    await role('moderator');
    const elsewhere = await burst(sender, channel.id, () => role('member'));
    expect(codesOf(elsewhere.answers)).to.deep.equal([]);
  });

  it('writes nothing after the session has ended', async () => {
    const sender = await newcomer(0);
    await sender.say(here.channel.id, 'first');
    const { atAnswer, atEnd } = await burst(sender, here.channel.id, () => sender.post('/api/auth/logout'));
    expect(atEnd?.messages).to.equal(atAnswer?.messages);
  });

  it('changes nothing else there either: the log of the channel has nothing of theirs', async () => {
    const sender = await newcomer(1);
    const { alice, server, channel } = here;
    const message = await alice.say(channel.id, 'react to this');
    const own = await sender.say(channel.id, 'mine');
    const sent = everywhere(sender, here).flatMap((place) =>
      Array.from({ length: 15 }, (_, i) => [
        place.post(`/api/messages/${message.id}/reactions`, { emoji: String.fromCodePoint(0x1f430 + i) }),
        place.patch(`/api/messages/${own.id}`, { content: `changed ${i}` }),
        place.post(`/api/channels/${channel.id}/threads`, { name: `t${i}`, parentMessageId: own.id }),
      ]).flat(),
    );
    await withRows(here.cluster.databaseUrl, async (rows) => {
      await alice.delete(`/api/servers/${server.id}/members/${sender.id}`);
      const atAnswer = await countOf(rows, channel.id, sender.id);
      const answers = await Promise.all(sent);
      expect(await countOf(rows, channel.id, sender.id)).to.deep.equal(atAnswer);
      for (const { status } of answers) expect(status).to.be.below(500);
    });
  });
});
