// nodes: own

import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { forgetExports } from '../../src/features/account-export/export.table.ts';
import { usedBy } from '../../src/features/blobs/blob.table.ts';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Person, request } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';
import { AccountArchive } from './account-archive.ts';
import { dataFolder } from './mailbox.ts';

const folder = dataFolder();
const path = '/api/auth/me/export';
const hostile = `</p><script>alert(1)</script><img src=x onerror=alert(2)> "'&`;

describe('the export of an account', () => {
  let cluster: Cluster;
  const at = (i: number): Node => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const sql = <R extends object>(text: string, values: unknown[] = []) => query<R>(cluster.databaseUrl, text, values);
  const state = async (person: Person): Promise<string> => (await person.get(`${path}?begin=false`)).body.state;
  const mailsTo = async (person: Person) => {
    const { email } = (await person.get('/api/auth/me')).body;
    return (await folder.mails()).filter((mail) => mail.to?.[0]?.address === email);
  };
  const kindsOf = async (person: Person): Promise<string[]> =>
    (await person.get('/api/notifications')).body.map(({ kind }: { kind: string }) => kind);
  const download = (person: Person, more: Record<string, string> = {}) =>
    fetch(`${person.node.url}${path}/download`, { headers: { authorization: `Bearer ${person.token}`, ...more } });
  const age = (person: Person) =>
    sql(`UPDATE sessions SET created_at = now() - interval '1 hour', confirmed_at = NULL WHERE user_id = $1`, [
      person.id,
    ]);

  before(async () => {
    cluster = await startCluster({ settings: { dataDir: folder.dataDir, appProxyAllow: ['127.0.0.1:9'] }, nodes: 2 });
  });
  after(() => cluster.stop());

  describe('of someone who was busy', () => {
    let here: World;
    let archive: AccountArchive;
    let dm: string;
    let secret: string;
    let botSecret: string;
    let hookToken: string;
    let left: string;
    let group: string;
    let leftGroup: string;
    let unsent: { id: string };
    const bytes = randomBytes(50_000);

    before(async () => {
      here = await world(cluster);
      const { alice, bob, carol, channel, server } = here;
      await bob.say(channel.id, 'of bob alone');
      for (let i = 0; i < 3; i++) await alice.say(channel.id, `mine ${i}`);
      const parent = await alice.say(channel.id, hostile);
      const thread = (
        await alice.post(`/api/channels/${channel.id}/threads`, { name: 't', parentMessageId: parent.id })
      ).body;
      await alice.post(`/api/threads/${thread.id}/messages`, { content: 'in a thread' });
      const gone = await alice.say(channel.id, 'taken back');
      await alice.delete(`/api/messages/${gone.id}`);
      await alice.post(`/api/messages/${parent.id}/reactions`, { emoji: '🎉' });
      dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body.id;
      await bob.say(dm, `to alice ${hostile}`);
      await alice.say(dm, 'to bob', { attachments: [await alice.upload('../../a "b".txt', bytes)] });
      await bob.say(dm, 'a file', { attachments: [await bob.upload('of-bob.txt', Buffer.from('bytes of bob'))] });
      const dan = await register(at(0));
      const others = { userIds: [bob.id, carol.id], name: 'Chess club' };
      group = (await alice.post('/api/dm/channels', others)).body.id;
      await carol.say(group, 'to the club');
      leftGroup = (await alice.post('/api/dm/channels', { userIds: [bob.id, dan.id] })).body.id;
      await alice.say(leftGroup, 'said before leaving');
      // A notification would quote what dan says, if it came before she leaves.
      await alice.put(`/api/channels/${leftGroup}/notification-level`, { level: 'nothing' });
      await dan.say(leftGroup, 'of dan alone');
      await alice.post(`/api/dm/channels/${leftGroup}/leave`);
      unsent = await alice.upload('CON.txt', Buffer.from('not sent'));
      const files = `/api/servers/${server.id}/workspace/files`;
      const { id: notesId } = (await alice.post(files, { name: 'notes.md', content: '# mine before' })).body;
      await alice.patch(`${files}/${notesId}`, { content: '# mine' });
      await bob.post(files, { name: 'bobs.md', content: '# of bob' });
      await alice.post('/api/friends/request', { username: carol.username });
      await alice.put(`/api/friends/blocks/${(await register(at(0))).id}`);
      await alice.patch('/api/notifications/preferences', { strategy: 'mention_only' });
      secret = (await alice.post('/api/tokens', { name: 'my script' })).body.token;
      const bot = (await alice.post('/api/agents', { name: `bot${randomBytes(4).toString('hex')}` })).body;
      ({ secret: botSecret } = (await alice.put(`/api/agents/${bot.id}/webhook`, { url: 'http://127.0.0.1:9/' })).body);
      const hook = { name: 'Builds', format: 'slack', signingSecret: 'a secret of the sender' };
      ({ token: hookToken } = (await alice.post(`/api/channels/${channel.id}/hooks`, hook)).body);
      await bob.say(channel.id, `calls @${alice.username}`);
      await until(async () => (await kindsOf(alice)).includes('message.mention'));
      await alice.post('/api/invite-codes', { count: 1, note: 'for a friend' });
      // A channel of somebody else's, where alice wrote and cannot read any more.
      const other = (await bob.post('/api/servers', { name: 'Other' })).body;
      left = (await bob.post(`/api/servers/${other.id}/channels`, { name: 'inner' })).body.id;
      await alice.post(`/api/servers/${other.id}/join`, { inviteCode: other.inviteCode });
      await bob.patch(`/api/servers/${other.id}`, { keepEditHistory: true });
      await alice.say(left, 'first');
      const edited = await alice.say(left, 'a draft');
      await alice.patch(`/api/messages/${edited.id}`, { content: 'written before I left' });
      await bob.say(left, 'not for alice');
      await alice.post(`/api/servers/${other.id}/leave`);
      await bob.patch(`/api/channels/${left}`, { name: 'renamed-since' });
      await bob.say(left, 'nor this');
      archive = await AccountArchive.of(alice);
    });
    after(() => here.close());

    it('has what they are, have set, and belong to', async () => {
      const { alice, carol, server } = here;
      const [profile] = await archive.list('profile');
      expect(profile).to.include({ id: alice.id, username: alice.username, hasPassword: true });
      expect(profile.createdAt).to.match(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
      expect(await archive.list('sessions')).to.have.lengthOf(1);
      expect((await archive.list('access-tokens')).map(({ name }) => name)).to.deep.equal(['my script']);
      expect((await archive.list('notification-preferences'))[0].strategy).to.equal('mention_only');
      const [membership] = await archive.list('memberships');
      expect(membership).to.include({ serverId: server.id, name: 'Home', isOwner: true });
      expect((await archive.list('agents')).length).to.equal(1);
      expect((await archive.list('agent-tokens')).length).to.equal(1);
      expect((await archive.list('invite-codes'))[0]).to.include({ note: 'for a friend', isActive: true });
      expect((await archive.list('reactions')).map(({ emoji }) => emoji)).to.deep.equal(['🎉']);
      const [friend] = await archive.list('friends');
      expect(friend).to.include({ username: carol.username, status: 'pending', isByYou: true });
      expect(await archive.list('blocks')).to.have.lengthOf(1);
      const told = await archive.list('notifications');
      expect(told.find(({ kind }) => kind === 'message.mention')).to.include({
        channelId: here.channel.id,
        readAt: null,
      });
      expect((await archive.list('agent-webhooks'))[0]).to.include({ url: 'http://127.0.0.1:9/', state: 'active' });
      const [incoming] = await archive.list('incoming-webhooks');
      expect(incoming).to.include({ channelId: here.channel.id, name: 'Builds', format: 'slack', isSigned: true });
    });

    it('has their own messages of every channel, and of those that they may read the name', async () => {
      const texts = async (id: string) => (await archive.list(`messages-${id}`)).map(({ content }) => content);
      expect(await texts(here.channel.id)).to.deep.equal(['mine 0', 'mine 1', 'mine 2', hostile, 'in a thread']);
      expect(await texts(left)).to.deep.equal(['first', 'written before I left']);
      const [, edited] = await archive.list(`messages-${left}`);
      expect(edited.versions).to.have.lengthOf(1);
      expect(edited.versions[0]).to.include({ version: 1, content: 'a draft' });
      expect(edited.versions[0].editedAt).to.match(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
      const index = await archive.text('index.html');
      expect(index).to.contain('Your messages in #general in Home');
      expect(index).to.contain('a channel that you can no longer read');
    });

    it('has conversations whole, with the files that they sent', async () => {
      const { alice, bob } = here;
      const messages = await archive.list(`direct-messages-${dm}`);
      expect(messages.map(({ author }) => author)).to.deep.equal([bob.username, alice.username, bob.username]);
      const [mine] = messages[1].files;
      const stored = await archive.zip.file(mine.file)?.async('nodebuffer');
      const hash = (data: Buffer) => createHash('sha256').update(data).digest('hex');
      expect(hash(stored ?? Buffer.alloc(0))).to.equal(hash(bytes));
      expect(messages[2].files[0]).to.include({ filename: 'of-bob.txt', file: null });
      expect(await archive.text(`files/${unsent.id}/fileCON.txt`)).to.equal('not sent');
      const [notes] = await archive.list('workspace-files');
      expect(await archive.text(notes.file)).to.equal('# mine');
      const [before] = await archive.list('workspace-versions');
      expect(await archive.text(before.file)).to.equal('# mine before');
    });

    it('has groups whole, and of those that they have left what they wrote', async () => {
      const messages = await archive.list(`direct-messages-${group}`);
      expect(messages.map(({ content }) => content)).to.deep.equal(['to the club']);
      expect(await archive.text(`pages/direct-messages-${group}.html`)).to.contain('Chess club');
      const own = await archive.list(`messages-${leftGroup}`);
      expect(own.map(({ content }) => content)).to.deep.equal(['said before leaving']);
    });

    it('has nothing that is others’, and no secret', async () => {
      const { bob } = here;
      const all = await archive.everything();
      for (const foreign of [
        'of bob alone',
        'of dan alone',
        'not for alice',
        'nor this',
        'renamed-since',
        'inner',
        'taken back',
      ])
        expect(all, foreign).not.to.contain(foreign);
      for (const foreign of [
        'bytes of bob',
        '# of bob',
        `${bob.username}@example.com`,
        'argon2',
        secret,
        botSecret,
        hookToken,
      ])
        expect(all, foreign).not.to.contain(foreign);
      const hashes = await sql<{ hash: string }>(
        `SELECT password_hash AS hash FROM users WHERE password_hash IS NOT NULL
         UNION ALL SELECT token_hash FROM personal_tokens UNION ALL SELECT refresh_hash FROM sessions`,
      );
      for (const { hash } of hashes) expect(all).not.to.contain(hash);
    });

    it('shows texts as text, in pages that run and load nothing', async () => {
      const pages = archive.names.filter((name) => name.endsWith('.html'));
      expect(pages.length).to.be.greaterThan(8);
      for (const name of pages) {
        const html = await archive.text(name);
        expect(html, name).to.contain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
        expect(html, name).not.to.match(
          /<(script|img|iframe|object|form|link|base)\b|\son\w+\s*=\s*"|(src|href)="(https?:|\/)/,
        );
        for (const [, href = ''] of html.matchAll(/href="([^"]+)"/g)) {
          const target = new URL(href, `zip:///${name}`).pathname.slice(1);
          expect(archive.names, `${name} → ${href}`).to.include(decodeURIComponent(target));
        }
      }
      const page = await archive.text(`pages/direct-messages-${dm}.html`);
      expect(page).to.contain('&lt;script&gt;alert(1)&lt;/script&gt;');
    });

    it('names nothing that leads outside, or that a system takes for something else', () => {
      for (const name of archive.names) expect(name).to.match(/^(index\.html|(data|pages|files)\/[^\\:*?"<>|]+)$/);
      expect(archive.names.filter((name) => name.split('/').some((part) => /^\.|^con\b/i.test(part)))).to.deep.equal(
        [],
      );
    });

    it('is told of once, by a notification and a mail that do not open it', async () => {
      const { alice } = here;
      await until(async () => (await kindsOf(alice)).includes('account.export_ready'));
      const mail = await until(async () =>
        (await mailsTo(alice)).find(({ subject }) => /is ready/.test(subject ?? '')),
      );
      expect(mail.text).to.contain('/app/settings/account');
      expect(mail.text).not.to.contain('/api/');
      expect((await kindsOf(alice)).filter((kind) => kind === 'account.export_ready')).to.have.lengthOf(1);
    });

    it('is downloaded in ranges, and by a link for ten minutes', async () => {
      const { alice, bob } = here;
      const whole = Buffer.from(await (await download(alice)).arrayBuffer());
      const part = await download(alice, { range: 'bytes=10-29' });
      expect([part.status, part.headers.get('content-range')]).to.deep.equal([206, `bytes 10-29/${whole.length}`]);
      expect(Buffer.from(await part.arrayBuffer())).to.deep.equal(whole.subarray(10, 30));
      const { url } = (await alice.get(`${path}/link`)).body;
      const linked = await fetch(bob.node.url + url);
      expect(Buffer.from(await linked.arrayBuffer()).equals(whole)).to.equal(true);
      expect(linked.headers.get('cache-control')).to.equal('private, no-store');
      expect((await fetch(`${bob.node.url}${url}x`)).status).to.equal(403);
      expect((await download(bob)).status).to.equal(404);
    });

    it('is followed by another one a day later, which replaces it', async () => {
      const { alice } = here;
      const { status, body } = await alice.post(path);
      expect([status, body.code]).to.deep.equal([429, 'RATE_LIMITED']);
      expect(body.retryAfter).to.be.within(80_000, 86_400);
      await sql(`UPDATE account_exports SET created_at = now() - interval '25 hours' WHERE user_id = $1`, [alice.id]);
      const before = (await alice.get(path)).body.id;
      const begun = (await alice.post(path)).body;
      expect(begun.state).to.equal('preparing');
      expect(begun.id).not.to.equal(before);
      await until(async () => (await state(alice)) === 'ready');
    });
  });

  it('is begun by looking for it, unless one only wants to look; many who begin at once get one', async () => {
    const person = await register(at(0));
    expect((await person.get(`${path}?begin=false`)).body).to.include({ state: 'none', downloadUrl: null });
    expect((await download(person)).status).to.equal(404);
    const ask = (i: number) => (i % 2 ? person.on(at(i)).post(path) : person.on(at(i)).get(path));
    const answers = await Promise.all([0, 1, 2, 3, 4, 5].map(ask));
    const ids = answers.map(({ body }) => body.id).filter((id) => id !== undefined);
    expect(new Set(ids).size).to.equal(1);
    await until(async () => (await state(person)) === 'ready');
  });

  it('takes a fresh proof to begin and to download, and a session', async () => {
    const person = await register(at(0));
    const token = (await person.post('/api/tokens', { name: 'x' })).body.token;
    const headers = { authorization: `Bearer ${token}` };
    for (const one of [path, `${path}/download`, `${path}/link`]) {
      const refused = await request(person.node, 'GET', one, undefined, headers);
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'INSUFFICIENT_PAT_SCOPE']);
    }
    await age(person);
    for (const refused of [await person.get(path), await person.post(path)])
      expect(refused.body.code).to.equal('CONFIRMATION_REQUIRED');
    expect(await state(person)).to.equal('none');
    await person.post('/api/auth/confirm', { password: 'correct horse' });
    await AccountArchive.of(person);
    await age(person);
    expect((await person.get(path)).body.state).to.equal('ready');
    for (const one of [`${path}/download`, `${path}/link`])
      expect((await person.get(one)).body.code).to.equal('CONFIRMATION_REQUIRED');
  });

  it('is read in the language of whose it is, in its direction; for programs it stays what it is', async () => {
    const person = await register(at(0));
    await person.patch('/api/auth/me', { language: 'ar', displayName: 'سارة' });
    await person.post('/api/tokens', { name: 'my script' });
    const archive = await AccountArchive.of(person);
    for (const name of archive.names.filter((one) => one.endsWith('.html')))
      expect(await archive.text(name), name).to.contain('<html lang="ar" dir="rtl">');
    const index = await archive.text('index.html');
    expect(index).to.contain('<h1><bdi>حسابك</bdi></h1>').and.to.contain('رموز الوصول الشخصية');
    expect(index).to.contain(`\u2068${person.username}\u2069`);
    const page = await archive.text('pages/profile.html');
    expect(page).to.contain('<th>اسم المستخدم</th>').and.to.contain('<td dir="auto">سارة</td>');
    expect(await archive.list('profile')).to.have.lengthOf(1);
    expect((await archive.list('profile'))[0]).to.include({ username: person.username, language: 'ar' });
  });

  it('of someone without an address is told of by a notification alone', async () => {
    const person = await register(at(1));
    await sql('UPDATE users SET email = NULL WHERE id = $1', [person.id]);
    await AccountArchive.of(person);
    await until(async () => (await kindsOf(person)).includes('account.export_ready'));
    await until(async () => (await sql("SELECT FROM jobs WHERE kind = 'export-mail'")).length === 0);
    expect(await sql("SELECT FROM jobs WHERE kind = 'export-mail' AND error IS NOT NULL")).to.deep.equal([]);
  });

  it('is deleted after three days with its bytes, and with its account', async () => {
    const [one, other] = [await register(at(0)), await register(at(0))];
    for (const person of [one, other]) await AccountArchive.of(person);
    const left = () =>
      sql<{ user_id: string }>('SELECT user_id FROM account_exports WHERE user_id = ANY($1::uuid[])', [
        [one.id, other.id],
      ]);
    const [kept] = await sql<{ blob_id: string; days: number }>(
      `SELECT blob_id, extract(epoch FROM expires_at - ended_at) / 86400 AS days FROM account_exports WHERE user_id = $1`,
      [one.id],
    );
    expect(Number(kept?.days)).to.be.closeTo(3, 0.01);
    await sql(`UPDATE account_exports SET expires_at = now() WHERE user_id = $1`, [one.id]);
    expect(await state(one)).to.equal('none');
    expect((await download(one)).status).to.equal(404);
    await sql('UPDATE users SET deleted_at = now() WHERE id = $1', [other.id]);
    // The server does the same from time to time, and may be quicker.
    await withRows(cluster.databaseUrl, forgetExports);
    expect(await left()).to.deep.equal([]);
    // Nothing refers to its bytes any more, so the collector takes them.
    expect(
      await withRows(cluster.databaseUrl, async (rows) => {
        const unused = `SELECT FROM blobs b WHERE b.id = $1 AND NOT ${await usedBy(rows)}`;
        return rows(unused, [kept?.blob_id]);
      }),
    ).to.have.lengthOf(1);
  });

  it('fails after some attempts, tells of it, and can be begun again at once', async () => {
    const person = await register(at(0));
    await sql(`ALTER TABLE reactions RENAME TO reactions_away`);
    try {
      await person.post(path);
      await until(
        async () => {
          await sql(`UPDATE jobs SET due_at = now() WHERE kind = 'account-export' AND error IS NOT NULL`);
          return (await state(person)) === 'failed';
        },
        { timeout: 30_000 },
      );
    } finally {
      await sql(`ALTER TABLE reactions_away RENAME TO reactions`);
    }
    await until(async () => (await kindsOf(person)).includes('account.export_failed'));
    await until(async () => (await mailsTo(person)).some(({ subject }) => /failed/.test(subject ?? '')));
    expect(await sql("SELECT FROM jobs WHERE kind = 'account-export'")).to.deep.equal([]);
    expect((await person.post(path)).body.state).to.equal('preparing');
    await AccountArchive.of(person);
  });

  it('of many messages reads them page by page, and splits what is long', async () => {
    const here = await world(cluster);
    const { alice, bob, channel } = here;
    const count = 6000;
    const fill = (author: Person) =>
      sql(
        `WITH head AS (UPDATE streams SET last_seq = last_seq + $3 WHERE id = $1 RETURNING last_seq - $3 AS last)
         INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
         SELECT gen_random_uuid(), $1, last + i, $2, repeat('x', 300) || i, now(), now() FROM head, generate_series(1, $3::int) i`,
        [channel.id, author.id, count],
      );
    await fill(bob);
    await fill(alice);
    const statements = async () => {
      const texts = await Promise.all(cluster.nodes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
      return texts.reduce((sum, text) => sum + Number(/database_statement_seconds_count (\d+)/.exec(text)?.[1]), 0);
    };
    const before = await statements();
    const archive = await AccountArchive.of(alice);
    const messages = await archive.list(`messages-${channel.id}`);
    expect(messages.length).to.equal(count);
    expect(new Set(messages.map(({ id }) => id)).size).to.equal(count);
    const parts = archive.names.filter((name) => name.startsWith(`data/messages-${channel.id}`));
    expect(parts.length).to.be.greaterThan(3);
    // A hundred messages a page, where one by one it would be thousands. Among these are the test's own questions and what
    // both nodes do by themselves meanwhile, however long it takes.
    expect((await statements()) - before).to.be.lessThan(count / 2);
    here.close();
  });
});
