// nodes: one and two

import { expect } from 'chai';
import { maxOwnEmoji } from '../../src/contract/server-emoji.ts';
import { halves, moving, sendPicture } from '../pictures/samples.ts';
import { ownRole } from '../world/own-roles.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];

/** On several nodes alice, who owns the server, and bob, a member, are on different ones. */
describe("a server's own emoji", () => {
  let here: World;
  let picture: string;
  const list = async (who: Person) => (await who.get(`/api/servers/${here.server.id}/emoji`)).body;
  const add = (name: string, url = picture, who: Person = here.alice) =>
    who.post(`/api/servers/${here.server.id}/emoji`, { name, url });
  const remove = ({ id }: Loose) => here.alice.delete(`/api/servers/${here.server.id}/emoji/${id}`);

  async function upload(bytes: Buffer, shape = 'emoji', who: Person = here.alice): Promise<Loose> {
    return (await sendPicture(who, Uint8Array.from(bytes), { shape })).body;
  }

  beforeEach(async () => {
    here = await world();
    picture = (await upload(await (await halves(300, 150)).png().toBuffer())).url;
  });
  afterEach(() => here.close());

  it('has a picture of at most 128 pixels with its proportions, which may move', async () => {
    const { bob } = here;
    const still = (await add('party')).body;
    expect(still).to.include({ name: 'party', url: picture, isAnimated: false, createdBy: here.alice.id });
    const [large, small] = await Promise.all(
      [still.url, still.smallUrl].map(async (path) => (await fetch(`${bob.node.url}${path}`)).arrayBuffer()),
    );
    expect(large?.byteLength).to.be.above(small?.byteLength ?? 0);
    const gif = await upload(await moving(5, 64));
    expect(gif).to.include({ width: 64, height: 64, isAnimated: true });
    expect((await add('dance', gif.url)).body.isAnimated).to.equal(true);
    const webp = await upload(await moving(3, 40, 'webp'));
    expect((await add('jump', webp.url)).body.isAnimated).to.equal(true);
    const square = await upload(await (await halves(300, 150)).png().toBuffer(), 'square');
    for (const url of [square.url, 'https://example.com/a.png', '/media/00112233445566778899aabbccddeeff.webp']) {
      expect(codeOf(await add('other', url)), url).to.deep.equal([400, 'VALIDATION_FAILED']);
    }
    expect((await list(bob)).map(({ name }: Loose) => name)).to.deep.equal(['dance', 'jump', 'party']);
  });

  it('is managed by those who have the permission, audited, and everyone is told', async () => {
    const { alice, bob, carol, server } = here;
    const ear = await bob.connect();
    expect(codeOf(await add('party', picture, bob))).to.deep.equal([403, 'ROLE_REQUIRED']);
    expect((await carol.get(`/api/servers/${server.id}/emoji`)).status).to.equal(404);
    await ownRole(here, [bob], { permissions: ['emoji:manage'] });
    const { body: made } = await add('party', picture, bob);
    const told = await ear.next('server:updated', (event) => event.server.emojiVersion === 1);
    expect(told.serverId).to.equal(server.id);
    expect((await remove(made)).status).to.equal(200);
    await ear.next('server:updated', (event) => event.server.emojiVersion === 2);
    expect(codeOf(await remove(made))).to.deep.equal([404, 'EMOJI_NOT_FOUND']);
    const { body: entries } = await alice.get(`/api/servers/${server.id}/audit`);
    const shown = entries.map(({ action, target }: Loose) => [action, target.label]);
    expect(shown.slice(0, 2)).to.deep.equal([
      ['emoji.remove', 'party'],
      ['emoji.add', 'party'],
    ]);
  });

  it('has a name of its own, not one that everyone has, and a server has so many at most', async () => {
    const { cluster, server } = here;
    for (const name of ['heart', 'a', 'Two', 'with space', ':colon:', 'ü', 'x'.repeat(31), '']) {
      expect((await add(name)).status, name).to.equal(400);
    }
    const tries = await Promise.all([add('same'), add('same'), add('same')]);
    expect(tries.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409]);
    await query(
      cluster.databaseUrl,
      `INSERT INTO server_emoji (id, server_id, name, url, is_animated, created_at)
       SELECT gen_random_uuid(), $1, 'e' || i, $2, false, now() FROM generate_series(1, $3::int) AS i`,
      [server.id, picture, maxOwnEmoji - 2],
    );
    const last = await Promise.all([add('first'), add('second')]);
    expect(last.map(({ body }) => body.code).sort()).to.deep.equal(['EMOJI_LIMIT', undefined]);
  });

  it('is reacted with by its name, bound to its id, in its server alone', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const message = await alice.say(channel.id, 'look :party:');
    const reactions = `/api/messages/${message.id}/reactions`;
    const react = (who: Person) => who.post(reactions, { emoji: ':party:' });
    expect(codeOf(await react(bob))).to.deep.equal([400, 'VALIDATION_FAILED']);
    const { body: made } = await add('party');
    expect((await react(bob)).status).to.equal(201);
    expect((await react(bob)).status).to.equal(200);
    const own = { emoji: ':party:', emojiId: made.id, count: 1, users: [bob.id], userIds: [bob.id] };
    expect((await ear.next('reaction:updated')).reactions).to.deep.equal([own]);
    const { body: dm } = await alice.post('/api/dm/channels', { userId: bob.id });
    const { body: direct } = await alice.post(`/api/dm/channels/${dm.id}/messages`, { content: ':party:' });
    expect((await bob.post(`/api/messages/${direct.id}/reactions`, { emoji: ':party:' })).status).to.equal(400);
    // What it meant stays readable, and is not the next one of that name.
    await remove(made);
    expect((await alice.get(reactions)).body).to.deep.equal([own]);
    const { body: next } = await add('party');
    const both = (await react(alice)).body.reactions;
    expect(both.map(({ emojiId, users }: Loose) => [emojiId, users])).to.deep.equal([
      [made.id, [bob.id]],
      [next.id, [alice.id]],
    ]);
    expect((await react(bob)).body.reactions).to.deep.equal([
      { emoji: ':party:', emojiId: next.id, count: 2, users: [bob.id, alice.id], userIds: [bob.id, alice.id] },
    ]);
    const path = `${reactions}/${encodeURIComponent(':party:')}`;
    expect((await bob.delete(path)).body.reactions[0].users).to.deep.equal([alice.id]);
    expect((await alice.delete(path)).body.reactions).to.deep.equal([]);
  });
});
