import { expect } from 'chai';
import { maxVersions } from '../../src/contract/retention.ts';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';
import { grow, keepFor } from './aged.ts';

describe('what an edited message said before', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const keep = async (keepEditHistory: boolean) => {
    const { status } = await here.alice.patch(`/api/servers/${here.server.id}`, { keepEditHistory });
    expect(status).to.equal(200);
  };
  const edit = async (id: string, content: string, person = here.bob) => {
    expect((await person.patch(`/api/messages/${id}`, { content })).status).to.equal(200);
  };
  const history = async (id: string, person = here.alice): Promise<Loose[]> => {
    const { status, body } = await person.get(`/api/messages/${id}/history`);
    expect(status).to.equal(200);
    return body;
  };
  const texts = async (id: string) => (await history(id)).map(({ content }) => content);
  const stored = async (channelId = here.channel.id) =>
    (await query(here.cluster.databaseUrl, 'SELECT FROM message_versions WHERE channel_id = $1', [channelId])).length;

  it('is kept only where that was decided, and only from then on', async () => {
    const { alice, bob, channel, server } = here;
    const sent = await bob.say(channel.id, 'one');
    await edit(sent.id, 'two');
    expect(await texts(sent.id)).to.deep.equal([]);
    expectError(await bob.patch(`/api/servers/${server.id}`, { keepEditHistory: true }), 'ROLE_REQUIRED');
    await keep(true);
    await edit(sent.id, 'three');
    // The same text is no edit, and a file changes no text.
    await edit(sent.id, 'three');
    await edit(sent.id, 'four');
    const versions = await history(sent.id);
    expect(versions.map(({ version, content }) => [version, content])).to.deep.equal([
      [1, 'two'],
      [2, 'three'],
    ]);
    expect(Date.parse(versions[0].editedAt)).to.be.at.most(Date.parse(versions[1].editedAt));
    // Of a DM nothing is kept.
    const dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
    const direct = await bob.say(dm.id, 'one');
    await edit(direct.id, 'two');
    expect(await history(direct.id, bob)).to.deep.equal([]);
    expect(await stored(dm.id)).to.equal(0);
  });

  it('is shown to its author and to moderators alone', async () => {
    const { alice, bob, carol, channel, server } = here;
    await keep(true);
    await carol.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    const robot = await botIn(server, alice);
    const sent = await bob.say(channel.id, 'one');
    await edit(sent.id, 'two');
    expect(await history(sent.id, bob)).to.have.length(1);
    expect(await history(sent.id, alice)).to.have.length(1);
    for (const other of [carol, robot]) {
      const refused = await other.get(`/api/messages/${sent.id}/history`);
      expectError(refused, 'ROLE_REQUIRED');
      expect(refused.body.requiredPermission).to.equal('history:read');
    }
    await alice.patch(`/api/servers/${server.id}/members/${carol.id}`, { role: 'moderator' });
    expect(await history(sent.id, carol)).to.have.length(1);
    await carol.post(`/api/servers/${server.id}/leave`);
    expectError(await carol.get(`/api/messages/${sent.id}/history`), 'MESSAGE_NOT_FOUND');
    // Bots' edits count as everyone's.
    const said = await robot.say(channel.id, 'beep');
    expect((await robot.patch(`/api/messages/${said.id}`, { content: 'boop' })).status).to.equal(200);
    expect(await texts(said.id)).to.deep.equal(['beep']);
  });

  it('is in no search, no log and no event', async () => {
    const { alice, bob, channel } = here;
    await keep(true);
    const ear = await alice.listen(channel.id);
    const sent = await bob.say(channel.id, 'unspeakable');
    await edit(sent.id, 'fine');
    expect(JSON.stringify(await ear.next('message:updated'))).to.not.include('unspeakable');
    expect(await texts(sent.id)).to.deep.equal(['unspeakable']);
    expect((await alice.get('/api/search/messages?query=unspeakable')).body).to.deep.equal([]);
    const log = (await alice.get(`/api/channels/${channel.id}/events?after=0&limit=500`)).body;
    expect(JSON.stringify(log)).to.not.include('unspeakable');
  });

  it(`is at most ${maxVersions} versions, the latest`, async () => {
    const { bob, channel } = here;
    await keep(true);
    const sent = await bob.say(channel.id, 'text 0');
    for (let i = 1; i <= maxVersions + 2; i++) await edit(sent.id, `text ${i}`);
    const kept = await texts(sent.id);
    expect([kept.length, kept[0], kept.at(-1)]).to.deep.equal([maxVersions, 'text 2', `text ${maxVersions + 1}`]);
    expect(await stored()).to.equal(maxVersions);
  });

  it('keeps every version of edits at once', async () => {
    const { bob, channel } = here;
    await keep(true);
    const sent = await bob.say(channel.id, 'first');
    const all = Array.from({ length: 8 }, (_, i) => `text ${i}`);
    await Promise.all(all.map((content) => edit(sent.id, content)));
    const { content } = (await bob.get(`/api/messages/${sent.id}`)).body;
    expect([...(await texts(sent.id)), content]).to.have.members(['first', ...all]);
  });

  it('goes with the message, however that goes', async () => {
    const { alice, bob, channel } = here;
    await keep(true);
    const write = async (channelId = channel.id) => {
      const { id } = await bob.say(channelId, 'one');
      await edit(id, 'two');
      return id;
    };
    const deleted = await write();
    await write();
    const doomed = await here.newChannel('doomed');
    await write(doomed);
    expect([await stored(), await stored(doomed)]).to.deep.equal([2, 1]);
    await alice.delete(`/api/messages/${deleted}`);
    expect(await stored()).to.equal(1);
    expectError(await alice.get(`/api/messages/${deleted}/history`), 'MESSAGE_NOT_FOUND');
    await alice.delete(`/api/channels/${doomed}`);
    await until(async () => (await stored(doomed)) === 0, { message: 'a deleted channel keeps versions' });
    await grow(here, channel.id, 5);
    await keepFor(here, 4);
    expect(await stored()).to.equal(0);
  });

  it('is removed once the server does not keep it any more, and not shown from that moment', async () => {
    const { alice, bob, channel, server, cluster } = here;
    await keep(true);
    const sent = await bob.say(channel.id, 'one');
    await edit(sent.id, 'two');
    await query(
      cluster.databaseUrl,
      `INSERT INTO message_versions SELECT $1, gen_random_uuid(), 1, 'text', now() FROM generate_series(1, 1200)`,
      [channel.id],
    );
    await keep(false);
    expect(await texts(sent.id)).to.deep.equal([]);
    await until(async () => (await stored()) === 0, { message: 'versions are left' });
    // Once more a little later: an edit may have begun before.
    const jobs = "SELECT data FROM jobs WHERE kind = 'edit-history-removal' AND key = $1";
    await until(async () => (await query<{ data: Loose }>(cluster.databaseUrl, jobs, [server.id]))[0]?.data.isLast);
    await edit(sent.id, 'three');
    expect(await stored()).to.equal(0);
    expect((await alice.get(`/api/servers/${server.id}`)).body.keepEditHistory).to.equal(false);
  });
});
