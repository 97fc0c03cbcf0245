// nodes: own

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Entry, zip } from '../apps/zip.ts';
import { atEnd } from '../rig/ending.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Outcome, parley } from '../world/operator.ts';
import type { Loose, Person } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';
import { discordExport, inFolder, mattermostExport, rocketChatExport, slackExport } from './exports.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-import-from-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

function zipped(entries: Entry[]): string {
  const file = path.join(folder, `${++count}.zip`);
  writeFileSync(file, zip(entries));
  return file;
}

describe('an export of another product', () => {
  let cluster: Cluster;
  let here: World;

  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const operator = (...args: string[]): Promise<Outcome> =>
    parley({ DATABASE_URL: cluster.databaseUrl, DATA_DIR: folder }, args);
  const sql = <R extends object>(text: string, values: unknown[] = []): Promise<R[]> =>
    withRows(cluster.databaseUrl, (rows) => rows<R>(text, values));

  /** Imports into a new server of alice. @returns its id */
  async function imported(product: string, source: string, name: string, ...options: string[]): Promise<string> {
    const order = ['import-from', product, source, '--new', name, '--owner', here.alice.username, ...options];
    const outcome = await operator(...order);
    expect([outcome.code, outcome.complaint]).to.deep.equal([0, '']);
    const [, id] = /Imported into the server ([0-9a-f-]{36}):/.exec(outcome.out) ?? [];
    if (!id) throw new Error(outcome.out);
    return id;
  }

  const channelsOf = async (who: Person, serverId: string): Promise<Loose[]> =>
    (await who.get(`/api/servers/${serverId}/channels`)).body;
  async function messagesIn(who: Person, channelId: string): Promise<Loose[]> {
    const { body } = await who.get(`/api/channels/${channelId}/messages?limit=100`);
    return body.messages ?? body;
  }
  const byOrder = (messages: Loose[]): Loose[] => messages.toSorted((one, other) => one.seq - other.seq);

  it('is told and not written by a dry run', async () => {
    const file = zipped(slackExport());
    const outcome = await operator(
      'import-from',
      'slack',
      file,
      '--new',
      'Dry',
      '--owner',
      here.alice.username,
      '--dry-run',
    );
    expect([outcome.code, outcome.complaint]).to.deep.equal([0, '']);
    expect(outcome.out).to.match(/^Nothing was written\./m);
    expect(outcome.out)
      .to.match(/ {2}channels: 2\n/)
      .and.match(/ {2}messages: 8\n/)
      .and.match(/a message has no time: 1\n/);
    expect(outcome.out).to.match(/a private channel was left out; take it with --private: 1\n {6}secret\n/);
    const left = await sql("SELECT id FROM imports UNION ALL SELECT id FROM servers WHERE name = 'Dry'");
    expect(left).to.deep.equal([]);
  });

  describe('of Slack', () => {
    let serverId: string;
    let general: Loose;
    const file = zipped(slackExport('claimed.example'));

    before(async () => {
      serverId = await imported('slack', file, 'From Slack');
      const channels = await channelsOf(here.alice, serverId);
      general = channels.find(({ name }) => name === 'general');
    });

    it('becomes a server with its open channels, in which all is read', async () => {
      const channels = await channelsOf(here.alice, serverId);
      expect(
        channels.map(({ name, isPrivate, unreadCount, description }) => [name, isPrivate, unreadCount, description]),
      ).to.deep.equal([['general', false, 0, 'All of **us**']]);
      const archived = (await here.alice.get(`/api/servers/${serverId}/channels/archived`)).body;
      expect(archived.map(({ name }: Loose) => name)).to.deep.equal(['random']);
    });

    it('has its messages in their order, with numbers from 1 on, times, edits, pins, threads, reactions and files', async () => {
      const found = byOrder(await messagesIn(here.alice, general.id));
      expect(found.map(({ author, content }) => [author.displayName, content.split('\n')[0]])).to.deep.equal([
        ['Alice', found[0]?.content],
        ['Bob B', 'It is **bold**, _soft_ and ~~gone~~; `*code*` & @UNKNOWN'],
        ['No Mail', 'an answer to nothing'],
        ['Deploys', '> **[Build 7](https://ci.example/7)**'],
        ['A Guest', 'from elsewhere'],
        ['Alice', 'whole'],
      ]);
      const [first, second] = found;
      expect(first?.content).to.match(
        /^Hi @bob\w*, see #random and \[the \*plan\*\]\(https:\/\/example\.com\/a\?b=1&c=2\) <now> @here 🎉$/,
      );
      expect(first?.mentions.map(({ kind, label }: Loose) => [kind, label])).to.deep.equal([
        ['user', 'Bob B'],
        ['channel', 'random'],
      ]);
      expect(first?.reactions.map(({ emoji, count }: Loose) => [emoji, count])).to.deep.equal([
        ['👍🏼', 2],
        [':partyparrot:', 1],
      ]);
      expect(first?.thread).to.include({ messageCount: 1 });
      expect(first?.createdAt).to.equal('2020-09-13T12:26:41.000Z');
      expect(first?.metadata).to.deep.equal({ importedFrom: 'slack' });
      expect(second).to.include({ isEdited: true, isPinned: true });
      expect(second?.attachments.map(({ filename, size }: Loose) => [filename, size])).to.deep.equal([
        ['plan.txt', 10],
      ]);
      expect(second?.content).to.match(/\n📎 \[lost\.pdf\]\(https:\/\/files\.slack\.com\/F2\/lost\.pdf\)$/);
      const seqs = await sql<{ seq: number }>('SELECT seq FROM messages WHERE channel_id = $1 ORDER BY seq', [
        general.id,
      ]);
      expect(seqs.map(({ seq }) => Number(seq))).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
      const replies = (await here.alice.get(`/api/threads/${first?.thread.id}/messages`)).body;
      expect((replies.messages ?? replies).map(({ content }: Loose) => content)).to.deep.equal(['an answer']);
      const { node, token } = here.alice;
      const served = await fetch(node.url + second?.attachments[0].url, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await served.text()).to.equal('The plan.\n');
    });

    it('goes on with the next number', async () => {
      const sent = await here.alice.say(general.id, 'here we are');
      expect(sent.seq).to.equal(8);
    });

    it('makes placeholders of its people: members if they were active, and with an address that is not proven', async () => {
      const people = await sql<Loose>(
        `SELECT p.key, u.email, u.email_verified_at IS NULL AS unproven, u.password_hash IS NULL AS bare, u.is_bot,
           EXISTS (SELECT FROM server_members m WHERE m.server_id = $1 AND m.user_id = u.id) AS member
         FROM import_people p JOIN imports i ON i.id = p.import_id JOIN users u ON u.id = p.user_id
         WHERE i.server_id = $1 ORDER BY p.key`,
        [serverId],
      );
      expect(people.every(({ unproven, bare }) => unproven && bare)).to.equal(true);
      expect(people.map(({ key, email, is_bot, member }) => [key, email, is_bot, member])).to.deep.equal([
        ['U1', 'alice@claimed.example', false, true],
        ['U2', 'bob@claimed.example', false, true],
        ['U3', null, false, false],
        ['U4', null, false, true],
        ['U5', null, false, true],
        ['U9', null, false, false],
        ['bot:B1', null, true, false],
      ]);
      const { body } = await here.alice.get(`/api/servers/${serverId}`);
      expect(body.memberCount).to.equal(5);
    });

    it('is not taken over a second time, and leaves nothing of what was read', async () => {
      const again = await operator('import-from', 'slack', file, '--new', 'From Slack', '--owner', here.alice.username);
      expect([again.code, again.complaint]).to.deep.equal([
        1,
        `This export was imported already, into the server ${serverId} ("From Slack").\n`,
      ]);
      expect(await sql('SELECT key FROM import_records')).to.deep.equal([]);
      expect((await operator('imports')).out).to.include(`slack  finished  2 channels  ${serverId} From Slack`);
    });

    it('gives someone who is here what their placeholder wrote, when the operator says who that is', async () => {
      const placeholder = await sql<Loose>(
        `SELECT u.id, u.username FROM import_people p JOIN users u ON u.id = p.user_id JOIN imports i ON i.id = p.import_id
         WHERE i.server_id = $1 AND p.key = 'U2'`,
        [serverId],
      );
      const { id, username } = placeholder[0] ?? {};
      const before = byOrder(await messagesIn(here.alice, general.id));
      expect(before[1]?.author.id).to.equal(id);
      const claimed = await operator('claim-import', username, here.bob.username);
      expect([claimed.code, claimed.complaint]).to.deep.equal([0, '']);
      const found = byOrder(await messagesIn(here.bob, general.id));
      expect(found[1]?.author.id).to.equal(here.bob.id);
      expect(found[0]?.mentions[0].targetId).to.equal(here.bob.id);
      expect(found[0]?.reactions[0].users).to.include(here.bob.id).and.not.include(id);
      const again = await operator('claim-import', username, here.bob.username);
      expect(again.code).to.equal(1);
      const other = await operator('claim-import', here.carol.username, here.bob.username);
      expect(other.complaint).to.match(/is no placeholder of a finished import\.\n$/);
    });
  });

  it('puts words into the mouth of someone here by the operator’s choice alone, and never of operators or unproven accounts', async () => {
    const prove = (id: string, email: string, at: string) =>
      sql(`UPDATE users SET email = $2, email_verified_at = ${at} WHERE id = $1`, [id, email]);
    await prove(here.bob.id, 'bob@moved.example', 'now()');
    await prove(here.alice.id, 'alice@moved.example', 'NULL');
    const authorsIn = async (serverId: string) => {
      const rows = await sql<Loose>(
        'SELECT p.key, p.user_id AS id FROM import_people p JOIN imports i ON i.id = p.import_id WHERE i.server_id = $1',
        [serverId],
      );
      return new Map(rows.map(({ key, id }) => [key, id]));
    };
    const careful = await authorsIn(await imported('slack', zipped(slackExport()), 'Careful'));
    expect([...careful.values()]).not.to.include.members([here.bob.id]);
    const [latest] = (await operator('imports')).out.split('  ');
    const people = (await operator('import-people', latest ?? '')).out
      .split('\n')
      .map((line) => line.split('  ').slice(2));
    expect(people.slice(0, 2)).to.have.deep.members([
      ['U1', here.alice.username],
      ['U2', here.bob.username],
    ]);
    const trusting = await authorsIn(await imported('slack', zipped(slackExport()), 'Trusting', '--match-accounts'));
    expect(trusting.get('U2')).to.equal(here.bob.id);
    expect(trusting.get('U1')).not.to.equal(here.alice.id);
    await sql('UPDATE users SET is_operator = true WHERE id = $1', [here.bob.id]);
    const guarded = await authorsIn(await imported('slack', zipped(slackExport()), 'Guarded', '--match-accounts'));
    expect(guarded.get('U2')).not.to.equal(here.bob.id);
    await sql('UPDATE users SET is_operator = false WHERE id = $1', [here.bob.id]);
  });

  it('brings private channels by choice, with those who were in them', async () => {
    const serverId = await imported('slack', zipped(slackExport()), 'All of it', '--private', '--without-emails');
    const secret = await sql<Loose>("SELECT id, is_private FROM channels WHERE server_id = $1 AND name = 'secret'", [
      serverId,
    ]);
    expect(secret.map(({ is_private }) => is_private)).to.deep.equal([true]);
    const inside = await sql<Loose>(
      'SELECT p.key FROM channel_members m JOIN import_people p ON p.user_id = m.user_id WHERE m.channel_id = $1',
      [secret[0]?.id],
    );
    expect(inside).to.deep.equal([{ key: 'U2' }]);
    const mailed = await sql<Loose>(
      `SELECT u.id FROM import_people p JOIN imports i ON i.id = p.import_id JOIN users u ON u.id = p.user_id
       WHERE i.server_id = $1 AND u.email IS NOT NULL`,
      [serverId],
    );
    expect(mailed).to.deep.equal([]);
  });

  it('of Mattermost goes into a server that is there, and takes no name from its channels', async () => {
    await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'Town Square' });
    const socket = await here.alice.listen(here.channel.id);
    const outcome = await operator('import-from', 'mattermost', zipped(mattermostExport()), '--server', here.server.id);
    expect([outcome.code, outcome.complaint]).to.deep.equal([0, '']);
    expect((await socket.next('channel:created')).name).to.equal('Town Square-2');
    const channels = await channelsOf(here.alice, here.server.id);
    const square = channels.find(({ name }) => name === 'Town Square-2');
    const found = byOrder(await messagesIn(here.alice, square?.id));
    expect(found.map(({ content, author }) => [author.displayName, content.split('\n')[0]])).to.deep.equal([
      ['Benny', 'first'],
      ['Ann Lee', found[1]?.content.split('\n')[0]],
      ['ghost', 'of nobody known'],
    ]);
    expect(found[1]?.content).to.match(
      /^second @ben\w*, @nobody and @all in #hq :blob_wave: `@ben`\n📎 lost\.png\n📎 passwd$/,
    );
    expect(found[1]?.attachments.map(({ contentType, width }: Loose) => [contentType, width])).to.deep.equal([
      ['image/png', 1],
    ]);
    expect(found[1]?.reactions[0].emojiId).to.match(/^[0-9a-f-]{36}$/);
    const emoji = (await here.alice.get(`/api/servers/${here.server.id}/emoji`)).body;
    expect(emoji.map(({ name }: Loose) => name)).to.deep.equal(['blob_wave']);
  });

  it('of Discord, from a folder, has private channels unless the operator opens them', async () => {
    const place = inFolder(path.join(folder, 'discord'), discordExport());
    const closed = await imported('discord', place, 'Closed guild');
    expect(
      (await channelsOf(here.alice, closed)).map(({ name, isPrivate, isMember }) => [name, isPrivate, isMember]),
    ).to.deep.equal([['lobby', true, true]]);
    const opened = await imported('discord', place, 'Open guild', '--open');
    const [lobby] = await channelsOf(here.alice, opened);
    expect(lobby).to.include({ name: 'lobby', isPrivate: false, description: 'Come in' });
    const categories = (await here.alice.get(`/api/servers/${opened}/categories`)).body;
    expect(categories.map(({ id, name }: Loose) => [id, name])).to.deep.equal([[lobby?.categoryId, 'Text']]);
    const found = byOrder(await messagesIn(here.alice, lobby?.id));
    expect(found.map(({ content }) => content.split('\n')[0])).to.deep.equal([
      'hello @helper, ||secret|| :blob: 2023-01-01 00:00 UTC @helper'.replaceAll(
        '@helper',
        `@${found[1]?.author.username}`,
      ),
      'yes',
    ]);
    expect(found[1]?.replyToId).to.equal(found[0]?.id);
    expect(found[0]?.attachments[0]).to.include({ isSpoiler: true, filename: 'SPOILER_pic ture.png' });
    expect(found[0]?.thread).to.include({ name: 'A side talk', messageCount: 1 });
    expect(found[0]).to.include({ isEdited: true, isPinned: true });
  });

  it('of Rocket.Chat has its rooms, quotes and threads', async () => {
    const serverId = await imported('rocketchat', zipped(rocketChatExport()), 'From Rocket.Chat');
    const [general] = await channelsOf(here.alice, serverId);
    const found = byOrder(await messagesIn(here.alice, general?.id));
    expect(found.map(({ content }) => content.replace(/@\w+/, '@ann'))).to.deep.equal([
      'first',
      '**yes** @ann in #general 😄',
      'bye',
    ]);
    expect(found[1]?.replyToId).to.equal(found[0]?.id);
    expect(found[0]?.thread).to.include({ messageCount: 1 });
  });

  it('that is none, or goes nowhere, is refused in one sentence', async () => {
    const place = ['--new', 'Nothing', '--owner', here.alice.username];
    const wrong = zipped([{ name: 'readme.txt', content: 'no export' }]);
    for (const product of ['slack', 'mattermost', 'discord', 'rocketchat']) {
      const outcome = await operator('import-from', product, wrong, ...place);
      expect([outcome.code, outcome.out]).to.deep.equal([1, '']);
      expect(outcome.complaint).to.match(/^It is no (bulk )?export of [^\n]+\n$/);
    }
    for (const args of [
      ['teams', wrong, ...place],
      ['slack', wrong],
      ['slack', wrong, '--new', 'x'],
      ['slack', wrong, '--server', 'none'],
    ]) {
      const outcome = await operator('import-from', ...args);
      expect([outcome.code, outcome.complaint.split('\n').length], args.join(' ')).to.deep.equal([1, 2]);
    }
    expect(await sql("SELECT id FROM servers WHERE name = 'Nothing'")).to.deep.equal([]);
  });
});
