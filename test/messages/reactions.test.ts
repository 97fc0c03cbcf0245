// nodes: one and two

import { expect } from 'chai';
import type { Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** One of many emoji that differ: 🌰 and those after it. */
const animal = (at: number): string => emoji[at] ?? '';
const emoji = Array.from({ length: 0x300 }, (_, at) => String.fromCodePoint(0x1f330 + at)).filter((one) =>
  /^\p{Emoji_Presentation}$/u.test(one),
);

describe('reactions and pins', () => {
  let here: World;
  let message: Loose;
  beforeEach(async () => {
    here = await world();
    message = await here.alice.say(here.channel.id, 'to react to');
  });
  afterEach(() => here.close());

  it('keep the order of reacting, and of the first use of each emoji', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const react = (who: typeof alice, emoji: string) => who.post(`/api/messages/${message.id}/reactions`, { emoji });
    expect((await react(bob, '👍🏽')).status).to.equal(201);
    await react(alice, '🏳️‍🌈');
    await react(alice, '👍🏽');
    const again = await react(bob, '👍🏽');
    expect(again.status).to.equal(200);
    const both = [bob.id, alice.id];
    const expected = [
      { emoji: '👍🏽', count: 2, users: both, userIds: both },
      { emoji: '🏳️‍🌈', count: 1, users: [alice.id], userIds: [alice.id] },
    ];
    expect(again.body.reactions).to.deep.equal(expected);
    expect((await alice.get(`/api/messages/${message.id}/reactions`)).body).to.deep.equal(expected);
    expect((await alice.get(`/api/messages/${message.id}`)).body.reactions).to.deep.equal(expected);
    const told = await ear.next('reaction:updated', (event) => event.reactions[0]?.count === 2);
    expect(told).to.deep.include({
      messageId: message.id,
      channelId: channel.id,
      seq: message.seq,
      reactions: expected,
    });
    expect(ear.all('reaction:updated')).to.have.length(3);
    await ear.next('reaction:add', (event) => event.userId === alice.id && event.emoji === '👍🏽');
  });

  it('name so many people at most, however many reacted with however many emoji', async () => {
    const { alice, channel, cluster } = here;
    await query(
      cluster.databaseUrl,
      `WITH people AS (
         INSERT INTO users (id, username, username_key, display_name, tier, created_at, updated_at)
         SELECT gen_random_uuid(), 'reacting' || i, 'reacting' || i, 'Reacting', 'member', now(), now()
         FROM generate_series(1, 150) AS i RETURNING id
       )
       INSERT INTO reactions (message_id, emoji, user_id, place)
       SELECT $1, ':e' || e || ':', id, row_number() OVER () FROM people CROSS JOIN generate_series(1, 20) AS e`,
      [message.id],
    );
    const { messages } = (await alice.get(`/api/channels/${channel.id}/messages`)).body;
    const { reactions } = messages.find(({ id }: { id: string }) => id === message.id);
    expect(reactions).to.have.length(20);
    for (const { count, users, userIds } of reactions) {
      expect([count, users.length]).to.deep.equal([150, 100]);
      expect(userIds).to.deep.equal(users);
    }
  });

  it('are taken back, percent-encoded, also when there are none', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    for (const emoji of ['👨‍👩‍👧‍👦', '☝🏽']) {
      await bob.post(`/api/messages/${message.id}/reactions`, { emoji });
      const path = `/api/messages/${message.id}/reactions/${encodeURIComponent(emoji)}`;
      expect((await alice.delete(path)).status).to.equal(200);
      expect((await bob.get(`/api/messages/${message.id}/reactions`)).body).to.have.length(1);
      const { status, body } = await bob.delete(path);
      expect([status, body.reactions]).to.deep.equal([200, []]);
      await ear.next('reaction:remove', (event) => event.emoji === emoji && event.userId === bob.id);
    }
    const bad = `/api/messages/${message.id}/reactions/two%20words`;
    expect((await bob.delete(bad)).status).to.equal(400);
  });

  it('are one emoji that Unicode recommends, or its name', async () => {
    const { bob } = here;
    const good = ['👍', '❤️', '🇩🇪', '👩🏾‍🚀', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '1️⃣', '©️', '🧑🏻‍❤️‍💋‍🧑🏽'];
    const unseen = ['\u0000', '\ud83d', '\n', '\u200d', '\u0301', '\u3164', '\u2800', '\ufe0f', '❤\u0301', '👍\u200f'];
    const others = ['é', '1', '🇩', '🇦🇦', '👩‍🇩🇪', '👍👍', '👍❤️', '☝️🏽🏽', '👍\u200d', '\u{1fbff}', '\u{e000}'];
    const names = [':a', ':two words:', ':ü:', ':party_parrot:', '::', ':x'.repeat(40), 'wave'];
    const bad = [...unseen, ...others, ...names, '', ' ', '.', 'ab', '👨‍👩‍👧‍👦'.repeat(500), 5, null];
    for (const emoji of good) {
      const { status, body } = await bob.post(`/api/messages/${message.id}/reactions`, { emoji });
      expect([status, body.emoji], emoji).to.deep.equal([201, emoji]);
    }
    for (const emoji of bad) {
      const { status } = await bob.post(`/api/messages/${message.id}/reactions`, { emoji });
      expect(status, JSON.stringify(emoji)).to.equal(400);
    }
    const { body } = await bob.post(`/api/messages/${message.id}/reactions`, { emoji: ':point_up:' });
    expect(body.emoji).to.equal('☝️');
  });

  it('are the same whatever variation selectors come with them, and by their name', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    const mouth = await bob.listen(channel.id);
    const forms = {
      '❤️': ['❤', '❤️', '❤︎', ':heart:'],
      '👍': ['👍', '👍︎', '👍️', ':+1:', ':thumbsup:'],
      '🏳️‍🌈': ['🏳‍🌈', '🏳️‍🌈', '🏳︎‍🌈️'],
      '1️⃣': ['1⃣', '1️⃣'],
      '🕵🏽‍♂️': ['🕵🏽‍♂', '🕵️🏽‍♂️'],
    };
    const path = `/api/messages/${message.id}/reactions`;
    for (const [emoji, all] of Object.entries(forms))
      for (const [i, form] of all.entries()) {
        const other = all.at(i - 1) ?? form;
        const added = await alice.post(path, { emoji: form });
        expect([added.status, added.body.emoji], form).to.deep.equal([201, emoji]);
        expect((await alice.post(path, { emoji: other })).status).to.equal(200);
        const { reactions } = await mouth.emit('reaction:add', { messageId: message.id, emoji: other });
        const users = [alice.id, bob.id];
        expect(reactions, form).to.deep.equal([{ emoji, count: 2, users, userIds: users }]);
        expect(
          (await mouth.emit('reaction:remove', { messageId: message.id, emoji: form })).reactions[0].count,
        ).to.equal(1);
        const removed = await alice.delete(`${path}/${encodeURIComponent(other)}`);
        expect([removed.body.emoji, removed.body.reactions], other).to.deep.equal([emoji, []]);
      }
    const last = await alice.say(channel.id, 'last');
    await ear.next('message:new', ({ id }) => id === last.id);
    for (const name of ['reaction:add', 'reaction:remove'])
      expect(new Set(ear.all(name).map(({ emoji }) => emoji))).to.deep.equal(new Set(Object.keys(forms)));
  });

  it('of earlier versions that would be none now are shown, and taken back', async () => {
    const { bob, cluster } = here;
    const earlier = ['é', ':party_parrot:', ':tada:'];
    await query(
      cluster.databaseUrl,
      'INSERT INTO reactions (message_id, emoji, user_id, place) SELECT $1, emoji, $2, place FROM unnest($3::text[]) WITH ORDINALITY AS e (emoji, place)',
      [message.id, bob.id, earlier],
    );
    const shown = async () =>
      (await bob.get(`/api/messages/${message.id}`)).body.reactions.map((one: Loose) => one.emoji);
    expect(await shown()).to.deep.equal(earlier);
    for (const [i, emoji] of earlier.entries()) {
      await bob.delete(`/api/messages/${message.id}/reactions/${encodeURIComponent(emoji)}`);
      expect(await shown()).to.deep.equal(earlier.slice(i + 1));
    }
  });

  it('are limited to 20 different ones by each user', async () => {
    const { alice, bob } = here;
    const add = (who: typeof bob, i: number) => who.post(`/api/messages/${message.id}/reactions`, { emoji: animal(i) });
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => add(bob, i)));
    expect(answers.filter((answer) => answer.status === 201)).to.have.length(20);
    const refused = answers.filter((answer) => answer.status === 400);
    expect(refused.map((answer) => answer.body.code)).to.deep.equal(Array(5).fill('REACTION_LIMIT'));
    expect((await add(alice, 99)).status).to.equal(201);
    expect((await alice.get(`/api/messages/${message.id}/reactions`)).body).to.have.length(21);
  });

  it('are of 200 emoji at most on a message, of which everyone may use those that are there', async () => {
    const { alice, bob, cluster } = here;
    await query(
      cluster.databaseUrl,
      `INSERT INTO reactions (message_id, emoji, user_id, place)
       SELECT $1, emoji, $2, place FROM unnest($3::text[]) WITH ORDINALITY AS e (emoji, place)`,
      [message.id, bob.id, Array.from({ length: 200 }, (_, i) => animal(i))],
    );
    const add = (emoji: string) => alice.post(`/api/messages/${message.id}/reactions`, { emoji });
    expect((await add('👍')).body.code).to.equal('REACTION_LIMIT');
    expect((await add(animal(7))).status).to.equal(201);
    expect((await alice.get(`/api/messages/${message.id}/reactions`)).body).to.have.length(200);
  });

  it('count right when many react at once on two nodes', async () => {
    const { alice, bob, carol, server } = here;
    await carol.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    const people = [alice, bob, carol];
    const jobs = people.flatMap((who) =>
      Array.from({ length: 6 }, (_, i) =>
        i % 3 === 2
          ? who.delete(`/api/messages/${message.id}/reactions/%F0%9F%91%8D`)
          : who.post(`/api/messages/${message.id}/reactions`, { emoji: '👍' }),
      ),
    );
    await Promise.all(jobs);
    await Promise.all(people.map((who) => who.post(`/api/messages/${message.id}/reactions`, { emoji: '👍' })));
    const [summary] = (await bob.get(`/api/messages/${message.id}/reactions`)).body;
    expect(summary.count).to.equal(3);
    expect(summary.users).to.have.members(people.map((who) => who.id));
  });

  it('work over sockets', async () => {
    const { bob, channel } = here;
    const mouth = await bob.listen(channel.id);
    const added = await mouth.emit('reaction:add', { messageId: message.id, emoji: '👍' });
    expect(added.reactions[0]).to.include({ emoji: '👍', count: 1 });
    expect((await mouth.emit('reaction:remove', { messageId: message.id, emoji: '👍' })).reactions).to.deep.equal([]);
    expect((await mouth.emit('reaction:add', { messageId: message.id, emoji: 'no' })).code).to.equal(
      'VALIDATION_FAILED',
    );
  });

  it('pin what is to be kept in sight, the last one first', async () => {
    const { alice, bob, channel, server } = here;
    const ear = await bob.listen(channel.id);
    const other = await bob.say(channel.id, 'another');
    const pinned = await alice.put(`/api/channels/${channel.id}/pins/${message.id}`);
    expect(pinned.body).to.include({ id: message.id, isPinned: true });
    expect((await alice.post(`/api/messages/${other.id}/pin`)).body.isPinned).to.equal(true);
    expect((await alice.put(`/api/channels/${channel.id}/pins/${message.id}`)).status).to.equal(200);
    const pins = (await bob.get(`/api/channels/${channel.id}/pins`)).body;
    expect(pins.map((one: Loose) => one.id)).to.deep.equal([other.id, message.id]);
    expect(pins[1]).to.deep.equal((await bob.get(`/api/messages/${message.id}`)).body);
    await alice.delete(`/api/messages/${message.id}/pin`);
    expect((await ear.next('message:unpinned')).id).to.equal(message.id);
    expect(ear.all('message:pinned').map((event) => event.id)).to.deep.equal([message.id, other.id]);
    const elsewhere = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'else' })).body;
    const wrong = await alice.put(`/api/channels/${elsewhere.id}/pins/${message.id}`);
    expect([wrong.status, wrong.body.code]).to.deep.equal([400, 'WRONG_CHANNEL']);
  });

  it('pin 50 messages of a channel at most, also in a race', async () => {
    const { alice, channel, cluster } = here;
    const messages = await Promise.all(Array.from({ length: 55 }, (_, i) => alice.say(channel.id, `${i}`)));
    const answers = await Promise.all(
      messages.map((one, i) =>
        alice
          .on(cluster.nodes[i % cluster.nodes.length] ?? alice.node)
          .put(`/api/channels/${channel.id}/pins/${one.id}`),
      ),
    );
    expect(answers.filter((answer) => answer.status === 200)).to.have.length(50);
    expect(answers.filter((answer) => answer.body.code === 'PIN_LIMIT')).to.have.length(5);
    expect((await alice.get(`/api/channels/${channel.id}/pins`)).body).to.have.length(50);
  });
});
