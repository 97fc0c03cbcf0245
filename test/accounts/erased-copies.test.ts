// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';
import { finish, leave, placesOf } from './leaving.ts';

/** The connections that wait for this one, and those that wait for them. */
const waitForUs = 'SELECT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';
const waitForThem = `SELECT FROM pg_locks WHERE NOT granted AND pg_blocking_pids(pid) && ARRAY(${waitForUs})`;

describe('an account that is deleted with all it wrote', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster({ nodes: 2 });
  });
  after(() => cluster.stop());
  beforeEach(async () => {
    here = await world(cluster);
  });
  afterEach(() => here.close());

  /** Someone who leaves with all they wrote, a message of theirs, and a copy of it by bob. */
  const forwarded = async (word: string): Promise<{ leaver: Person; source: Loose; copy: Loose; other: string }> => {
    const { bob, server, channel } = here;
    const leaver = await register(here.bob.node);
    await leaver.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const source = await leaver.say(channel.id, `${word} of the leaver`);
    const other = await here.newChannel();
    return { leaver, source, copy: await bob.say(channel.id, '', { forwardId: source.id }), other };
  };
  const isWithdrawn = async (id: string): Promise<boolean> =>
    (await here.bob.get(`/api/messages/${id}`)).body.forwarded.isWithdrawn === true;

  it('takes along a copy of a copy that is being sent meanwhile', async () => {
    const { bob, server } = here;
    const { leaver, copy, other } = await forwarded('platypus');
    // A member who is deleted leaves all channels, and would wait for this one.
    expect((await leaver.post(`/api/servers/${server.id}/leave`)).status).to.equal(200);
    expect((await leave(leaver, { messages: 'erase' })).status).to.equal(200);
    const [sent] = await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [other]);
      const sending = bob.post(`/api/channels/${other}/messages`, { forwardId: copy.id });
      await until(async () => (await rows(waitForUs)).length > 0);
      let isOver = false;
      const deletion = finish(cluster.databaseUrl, leaver).finally(() => {
        isOver = true;
      });
      // Either it is over by now, or it waits for what is being sent.
      await until(async () => isOver || (await rows(waitForThem)).length > 0, { timeout: 60_000 });
      await rows('COMMIT');
      return Promise.all([sending, deletion]);
    });
    if (sent.status === 201) expect(await isWithdrawn(sent.body.id)).to.equal(true);
    expect(await isWithdrawn(copy.id)).to.equal(true);
    // The index of the search follows a moment later.
    await until(async () => (await placesOf(cluster.databaseUrl, 'platypus')).length === 0, { message: 'it is left' });
  });

  it('leaves nothing to forward, to hold or to publish from that moment on', async () => {
    const { alice, bob, server, channel } = here;
    const { leaver, source, copy, other } = await forwarded('wombat');
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action: 'hold', patterns: ['doubtful'] });
    const send = (forwardId: string, content = '') =>
      bob.post(`/api/channels/${other}/messages`, { forwardId, content });
    expect((await send(copy.id, 'doubtful')).body.code).to.equal('MESSAGE_HELD');
    const [held] = (await alice.get(`/api/servers/${server.id}/held`)).body;
    // Their account is gone; the messages are not erased yet.
    const gone = 'UPDATE users SET deleted_at = now(), erases_messages = true WHERE id = $1';
    await query(cluster.databaseUrl, gone, [leaver.id]);
    for (const answer of [await send(source.id), await send(copy.id), await send(copy.id, 'doubtful too')]) {
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'MESSAGE_NOT_FOUND']);
    }
    const approved = await alice.post(`/api/held/${held.heldId}/approve`);
    expect([approved.body.code, approved.body.reason]).to.deep.equal(['HELD_NOT_POSTABLE', 'MESSAGE_NOT_FOUND']);
    expect((await bob.say(channel.id, 'others go on')).content).to.equal('others go on');
  });

  it('takes along what waits for a moderator, with the copies of its files', async () => {
    const { alice, bob, server, channel } = here;
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action: 'hold', patterns: ['doubtful'] });
    const { leaver, other } = await forwarded('narwhal');
    const file = await leaver.upload('notes.txt', Uint8Array.from(Buffer.from('notes of the leaver')));
    const source = await leaver.say(channel.id, 'see', { attachments: [{ id: file.id }] });
    const sent = await bob.post(`/api/channels/${other}/messages`, { forwardId: source.id, content: 'doubtful' });
    const [waiting] = sent.body.held.forwarded.attachments;
    expect((await bob.get(waiting.url)).body).to.equal('notes of the leaver');
    expect((await leave(leaver, { messages: 'erase' })).status).to.equal(200);
    await finish(cluster.databaseUrl, leaver);
    expect((await alice.get(`/api/servers/${server.id}/held`)).body).to.deep.equal([]);
    const left = 'SELECT uploader_id FROM attachments WHERE id = ANY($1::uuid[])';
    expect(await query(cluster.databaseUrl, left, [[file.id, waiting.id]])).to.deep.equal([]);
  });

  it('takes along what reports of copies keep of it', async () => {
    const { alice, bob } = here;
    const { leaver, copy, other } = await forwarded('quokka');
    const commented = await bob.say(other, 'a comment', { forwardId: copy.id });
    const beside = await bob.say(other, '', { forwardId: copy.id });
    const report = { kind: 'message', messageId: commented.id, category: 'spam' };
    expect((await alice.post('/api/reports', report)).status).to.equal(201);
    const detail = async (): Promise<Loose[]> => {
      const [found] = (await alice.get(`/api/servers/${here.server.id}/reports`)).body;
      return (await alice.get(`/api/reports/${found.id}`)).body.snapshot.messages;
    };
    const text = 'quokka of the leaver';
    expect((await detail()).map(({ content }) => content)).to.deep.equal([`a comment\n${text}`, text]);
    expect((await leave(leaver, { messages: 'erase' })).status).to.equal(200);
    await finish(cluster.databaseUrl, leaver);
    const left = await detail();
    expect(left.map(({ id, content }) => [id, content])).to.deep.equal([
      [commented.id, 'a comment'],
      [beside.id, ''],
    ]);
    expect(left.every((message) => !('forwarded' in message))).to.equal(true);
    const places = await placesOf(cluster.databaseUrl, 'quokka');
    expect(places.filter((place) => place.startsWith('report_cases'))).to.deep.equal([]);
  });
});
