// nodes: one and two

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];
const refused = [400, 'MESSAGE_REFUSED'];

/** On several nodes alice, who owns the server, and bob, a member, are on different ones. */
describe('filters of a server', () => {
  let here: World;
  let robot: Bot;
  const filters = () => `/api/servers/${here.server.id}/filters`;
  const add = (kind: string, action: string, ...patterns: string[]) =>
    here.alice.post(filters(), { kind, action, patterns });
  const send = (who: Person, content: string, more: object = {}) =>
    who.post(`/api/channels/${here.channel.id}/messages`, { content, ...more });

  before(async () => {
    here = await world();
    robot = await botIn(here.server, here.alice);
    expect((await add('word', 'refuse', 'slur*')).status).to.equal(201);
  });
  after(() => {
    robot.hangUp();
    here.close();
  });

  it('are for those who manage them alone', async () => {
    const { bob, carol, alice, server } = here;
    const first: Loose = (await alice.get(filters())).body[0];
    const asked = [
      (who: Person) => who.get(filters()),
      (who: Person) => who.post(filters(), { kind: 'word', action: 'flag', patterns: ['x'] }),
      (who: Person) => who.delete(`${filters()}/${first.id}`),
      (who: Person) => who.post(`${filters()}/test`, { content: 'x' }),
      (who: Person) => who.patch(`/api/servers/${server.id}`, { holdNewMemberLinksHours: 1 }),
    ];
    for (const ask of asked) {
      expect(codeOf(await ask(bob))).to.deep.equal([403, 'ROLE_REQUIRED']);
      expect(codeOf(await ask(carol))).to.deep.equal([404, 'SERVER_NOT_FOUND']);
    }
    expect((await alice.get(filters())).body).to.deep.equal([first]);
  });

  it('have each entry once: it gets the new action when it is added again', async () => {
    const { alice } = here;
    const [made] = (await add('word', 'flag', 'Twice')).body;
    const again = (await add('word', 'hold', 'ＴＷＩＣＥ', 'twice')).body;
    expect(again).to.have.length(1);
    expect(again[0]).to.include({ id: made.id, pattern: 'Twice', action: 'hold' });
    expect((await alice.delete(`${filters()}/${made.id}`)).status).to.equal(200);
    expect(codeOf(await alice.delete(`${filters()}/${made.id}`))).to.deep.equal([404, 'FILTER_NOT_FOUND']);
  });

  it('take nothing that cannot be looked for, and a thousand entries', async () => {
    for (const [kind, pattern] of [
      ...[
        ['word', '*'],
        ['word', '**'],
        ['word', '\u200b'],
        ['word', ' '],
        ['word', '\ufdfa'.repeat(20)],
      ],
      ...[
        ['link', 'a b'],
        ['link', 'https://'],
        ['link', '..'],
        ['link', '*.'],
      ],
    ]) {
      expect(codeOf(await add(kind ?? '', 'refuse', pattern ?? '')), pattern).to.deep.equal([400, 'VALIDATION_FAILED']);
    }
    expect(codeOf(await add('word', 'allow', 'word'))).to.deep.equal([400, 'VALIDATION_FAILED']);
    const many = Array.from({ length: 1000 }, (_, i) => `entry${i}`);
    expect(codeOf(await add('word', 'flag', ...many))).to.deep.equal([400, 'FILTER_LIMIT']);
    expect((await here.alice.get(filters())).body).to.have.length(1);
  });

  it('tell what would happen to a text', async () => {
    const test = async (content: string) => (await here.alice.post(`${filters()}/test`, { content })).body;
    expect(await test('fine')).to.deep.equal({ action: null, entry: null, hasLink: false });
    expect(await test('SLURRY')).to.deep.include({ action: 'refuse', hasLink: false });
    expect((await test('a slur')).entry).to.include({ pattern: 'slur*', kind: 'word' });
  });

  it('are in force on every node as soon as they are added, and no longer once they are removed', async () => {
    const { bob, cluster, alice } = here;
    for (const node of cluster.nodes) {
      const there = bob.on(node);
      expect((await send(there, 'novel')).status).to.equal(201);
      const [made] = (await add('word', 'refuse', 'novel')).body;
      for (const other of cluster.nodes) expect(codeOf(await send(bob.on(other), 'novel'))).to.deep.equal(refused);
      await alice.delete(`${filters()}/${made.id}`);
      for (const other of cluster.nodes) expect((await send(bob.on(other), 'novel')).status).to.equal(201);
    }
  });

  it('refuse without naming the entry, keep nothing, and let moderators write what they like', async () => {
    const { bob, alice, channel } = here;
    const ear = await alice.listen(channel.id);
    const answer = await send(bob, 'what a sLuRs', { nonce: 'refused' });
    expect(codeOf(answer)).to.deep.equal(refused);
    expect(JSON.stringify(answer.body)).to.not.match(/slur/i);
    expect((await send(alice, 'slur, quoted by a moderator')).status).to.equal(201);
    expect((await send(bob, 'clean', { nonce: 'refused' })).status).to.equal(201);
    await ear.next('message:new', ({ content }) => content === 'clean');
    expect(ear.all('message:new').filter(({ authorId }) => authorId === bob.id)).to.have.length(1);
    const kept = await query(
      here.cluster.databaseUrl,
      `SELECT FROM messages WHERE author_id = '${bob.id}' AND content ~* 'slur'`,
    );
    expect(kept).to.have.length(0);
  });

  it('answer a repeat of what was sent before with the message, whatever they say by now', async () => {
    const { bob, alice } = here;
    const first = await send(bob, 'soon refused', { nonce: 'soon' });
    const [made] = (await add('word', 'refuse', 'soon refused')).body;
    const again = await send(bob, 'soon refused', { nonce: 'soon' });
    expect([again.status, again.body.id]).to.deep.equal([200, first.body.id]);
    expect(codeOf(await send(bob, 'soon refused', { nonce: 'later' }))).to.deep.equal(refused);
    await alice.delete(`${filters()}/${made.id}`);
  });

  it('look at names of files and what is beside the text too', async () => {
    const { bob } = here;
    const file = await bob.upload('slur.txt', new Uint8Array([120]));
    expect(codeOf(await send(bob, '', { attachments: [{ id: file.id }] }))).to.deep.equal(refused);
    expect(codeOf(await send(bob, 'x', { metadata: { card: { lines: ['a slur'] } } }))).to.deep.equal(refused);
    expect(codeOf(await send(bob, 'x', { metadata: { cards: [{ slur: 1 }] } }))).to.deep.equal(refused);
    expect((await send(bob, 'x', { metadata: { cards: [{ fine: 1 }] } })).status).to.equal(201);
  });

  it('end a reply in progress before anyone sees what they do not let through', async () => {
    const { bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const mouth = await robot.listen(channel.id);
    const say = (streamId: string, more: object) =>
      mouth.emit('message:stream', { channelId: channel.id, streamId, ...more });
    expect((await say('bad', { delta: 'what a sl' })).ok).to.equal(true);
    expect((await say('bad', { delta: 'ur' })).code).to.equal('MESSAGE_REFUSED');
    await ear.next('message:stream', ({ streamId, aborted }) => streamId === 'bad' && aborted === true);
    expect((await say('end', { delta: 'one', done: false })).ok).to.equal(true);
    expect((await say('end', { delta: ' slur', done: true })).code).to.equal('MESSAGE_REFUSED');
    await ear.next('message:stream', ({ streamId, aborted }) => streamId === 'end' && aborted === true);
    expect((await say('whole', { content: 'slur', done: true })).code).to.equal('MESSAGE_REFUSED');
    const told = ear.all('message:stream');
    expect(told.filter(({ delta }) => delta?.includes('slur'))).to.deep.equal([]);
    // Who has just come may get the text so far besides.
    const shown = told.filter(({ soFar }) => !soFar);
    expect(shown.map(({ delta }) => delta ?? '').join('')).to.equal('what a slone');
  });

  it('judge the whole of a stream where it is given, and show nothing else of that piece', async () => {
    const { bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const mouth = await robot.listen(channel.id);
    const say = (more: object) => mouth.emit('message:stream', { channelId: channel.id, streamId: 'both', ...more });
    const both = { delta: 'slur', content: 'hello', offset: 0 };
    expect(await say(both)).to.include({ ok: false, code: 'VALIDATION_FAILED' });
    expect((await say({ ...both, done: true })).message.content).to.equal('hello');
    await ear.next('message:stream', ({ streamId, done }) => streamId === 'both' && done);
    // Who has just come may get the text so far besides.
    const shown = ear.all('message:stream').filter(({ streamId, soFar }) => streamId === 'both' && !soFar);
    expect(shown.map(({ delta }) => delta)).to.deep.equal([undefined]);
  });

  it('judge a stream that lacks a piece as others see it', async () => {
    const { bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const mouth = await robot.listen(channel.id);
    const say = (more: object) => mouth.emit('message:stream', { channelId: channel.id, streamId: 'holes', ...more });
    expect((await say({ delta: 'sl', offset: 100 })).ok).to.equal(true);
    expect((await say({ delta: 'ur ', offset: 1 })).code).to.equal('MESSAGE_REFUSED');
    await ear.next('message:stream', ({ streamId, aborted }) => streamId === 'holes' && aborted === true);
    const told = ear.all('message:stream').filter(({ streamId }) => streamId === 'holes');
    expect(told.filter(({ delta }) => delta?.includes('slur'))).to.deep.equal([]);
    // Who has just come may get the text so far besides.
    const shown = told.filter(({ soFar }) => !soFar);
    expect(shown.map(({ delta }) => delta ?? '').join('')).to.equal('sl');
  });

  it('let a stream go on where a word becomes another one, and leave nothing of it out', async () => {
    const { bob, alice, channel } = here;
    const [made] = (await add('word', 'refuse', 'ass')).body;
    const ear = await bob.listen(channel.id);
    const mouth = await robot.listen(channel.id);
    const say = (more: object) => mouth.emit('message:stream', { channelId: channel.id, streamId: 'go on', ...more });
    for (const delta of ['I ', 'ass', 'ume', ' so', '. ']) expect((await say({ delta })).ok).to.equal(true);
    const { message } = await say({ delta: 'Yes', done: true });
    expect(message.content).to.equal('I assume so. Yes');
    await ear.next('message:stream', ({ streamId, done }) => streamId === 'go on' && done);
    // Who has just come may get the text so far besides.
    const told = ear.all('message:stream').filter(({ soFar }) => !soFar);
    const pieces = told.filter(({ streamId, done }) => streamId === 'go on' && !done);
    expect(pieces.map(({ delta, offset }) => [offset, delta])).to.deep.equal([
      ...[
        [0, 'I '],
        [2, 'assume'],
        [8, ' so'],
        [11, '. '],
        [13, 'Yes'],
      ],
    ]);
    await alice.delete(`${filters()}/${made.id}`);
  });

  it('cost a send nothing but a look into a cache: it does without their tables', async () => {
    const { bob, cluster } = here;
    const plain = await world(cluster);
    const elsewhere = () => plain.bob.post(`/api/channels/${plain.channel.id}/messages`, { content: 'x' });
    const answers = async () => [
      (await send(bob, 'warm')).status,
      (await send(bob, 'slur')).status,
      (await elsewhere()).status,
    ];
    const lock = 'LOCK TABLE server_filters, held_messages IN ACCESS EXCLUSIVE MODE';
    // A node drops what was changed once more when it finds the change in the database.
    const found = `SELECT true AS found FROM invalidations
      WHERE cache = 'server-filters' HAVING max(created_at) < clock_timestamp() - interval '3 seconds'`;
    try {
      await until(async () => (await query(cluster.databaseUrl, found)).length > 0);
      const isFree = async () => {
        await answers();
        const got = await withRows(cluster.databaseUrl, async (rows) => {
          await rows('BEGIN');
          await rows(lock);
          return [await answers(), await answers()];
        });
        return got.flat().join() === '201,400,201,201,400,201';
      };
      await until(isFree, { timeout: 45_000 });
    } finally {
      plain.close();
    }
  });
});
