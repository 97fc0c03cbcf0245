// nodes: own

import { expect } from 'chai';
import type { Email } from 'postal-mime';
import { type MailServer, startMailServer } from '../accounts/mailbox.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Loose, Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const site = 'https://chat.example.com';

describe('mail about what someone missed', () => {
  let server: MailServer;
  let cluster: Cluster;
  let here: World;
  let isRefusing = false;
  const settings = () => ({
    ...{ smtpUrl: server.url, publicUrl: site },
    mail: { retryMs: 20, digest: { defaultMinutes: 60 } },
  });

  before(async () => {
    server = await startMailServer({
      onMailFrom: (_address, _session, done) => done(isRefusing ? new Error('not now') : null),
    });
    cluster = await startCluster({ nodes: 2, settings: settings() });
  });
  after(async () => {
    await cluster.stop();
    await server.stop();
  });
  beforeEach(async () => {
    here = await world(cluster);
    await sql(`UPDATE users SET email_verified_at = now() WHERE id = '${here.bob.id}'`);
  });
  afterEach(() => here.close());

  const sql = (text: string): Promise<Loose[]> => query(cluster.databaseUrl, text);
  const one = async (text: string): Promise<Loose> => (await sql(text))[0];
  const mailsTo = ({ username }: Person): Email[] =>
    server.mails.filter(
      ({ to, subject = '' }) => to?.[0]?.address === `${username}@example.com` && /missed/.test(subject),
    );
  const mailTo = (person: Person, count = 1) =>
    until(() => mailsTo(person).length >= count && mailsTo(person).at(-1), { message: 'no mail' });
  const job = ({ id }: Person): Promise<Loose> =>
    one(`SELECT id, due_at FROM jobs WHERE kind = 'digest' AND key = '${id}' AND died_at IS NULL`);
  /** Ends all sessions: nothing that the person did before counts as being there. */
  const leave = ({ id }: Person) => sql(`DELETE FROM sessions WHERE user_id = '${id}'`);
  /** Signs in once more; nothing is done with it yet. */
  const comeBack = async ({ id, node, username }: Person): Promise<Person> => {
    const body = { email: `${username}@example.com`, password: 'correct horse' };
    const { accessToken: token, refreshToken } = (await request(node, 'POST', '/api/auth/login', body)).body;
    return new Person(node, { id, username, token, refreshToken });
  };
  /** Lets time pass: what notified someone happened so much earlier, and they were there earlier. */
  const pass = async ({ id }: Person, time: string) => {
    const back = (column: string) => `${column} = ${column} - interval '${time}'`;
    await sql(`UPDATE notifications SET ${back('updated_at')}, ${back('created_at')} WHERE user_id = '${id}'`);
    await sql(`UPDATE sessions SET ${back('attended_at')} WHERE user_id = '${id}'`);
  };
  /** Has what waits looked at now. @returns the job that waits from then on */
  const look = async (person: Person): Promise<Loose> => {
    const before = await until(() => job(person), { message: 'nothing waits' });
    await sql(`UPDATE jobs SET due_at = now() WHERE id = '${before.id}'`);
    return until(async () => {
      const after = await job(person);
      return after === undefined ? 'none' : after.id !== before.id && after;
    });
  };
  const notified = (person: Person, count = 1) =>
    until(async () => {
      const rows = await sql(`SELECT FROM notifications WHERE user_id = '${person.id}' AND read_at IS NULL`);
      return rows.length >= count;
    });
  const headerOf = (mail: Email, name: string) => mail.headers.find(({ key }) => key === name)?.value;
  /** Bob is away, and misses a mention. */
  const mention = async (text = 'hello') => {
    await leave(here.bob);
    const message = await here.alice.say(here.channel.id, `@${here.bob.username} ${text}`);
    await notified(here.bob);
    return message;
  };

  it('is one with all of it, in text and HTML, escaped, by their clock, and nobody answers it', async () => {
    const { alice, bob, channel, server: home } = here;
    await sql(`UPDATE users SET time_zone = 'Asia/Tokyo', language = 'en' WHERE id = '${bob.id}'`);
    const message = await mention('<img src=https://evil.example/x.png> & more\n\u202espoofed');
    const dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
    await alice.say(dm.id, 'in private');
    await notified(bob, 2);
    await pass(bob, '61 minutes');
    expect(await look(bob)).to.equal('none');
    const mail = await mailTo(bob);
    expect(mail.subject).to.equal('What you missed at chat.example.com: 2 notifications');
    const { text = '', html = '' } = mail;
    expect(text).to.contain(`#general in Home`).and.contain('in private').and.contain('<img');
    expect(text).to.contain(`${site}/app/s/${home.id}/${channel.id}/${message.id}`).and.contain('Asia/Tokyo');
    expect(text + html).to.not.contain('\u202e');
    expect(html).to.contain('&lt;img src=https://evil.example/x.png&gt; &amp; more');
    expect(html).to.not.match(/<img|<script|src=['"]|url\(/);
    expect(html).to.contain(`${site}/app/dm/${dm.id}`);
    const stored = await one(
      `SELECT updated_at FROM notifications WHERE user_id = '${bob.id}' AND kind = 'message.mention'`,
    );
    const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', timeZone: 'Asia/Tokyo' });
    expect(text).to.contain(clock.format(new Date(stored.updated_at)));
    expect(mail.replyTo?.[0]?.address).to.equal('no-reply@chat.example.com');
    expect(headerOf(mail, 'auto-submitted')).to.equal('auto-generated');
    expect(headerOf(mail, 'list-unsubscribe-post')).to.equal('List-Unsubscribe=One-Click');
    expect(headerOf(mail, 'list-unsubscribe')).to.match(/^<https:\/\/chat\.example\.com\/unsubscribe\?token=[\w.-]+>$/);
  });

  it('comes after so long away, or at the hour of a day, and not before', async () => {
    const { bob } = here;
    await mention();
    const first = await look(bob);
    const { at } = await one(`SELECT updated_at AS at FROM notifications WHERE user_id = '${bob.id}'`);
    expect(Date.parse(first.due_at) - Date.parse(at)).to.equal(3_600_000);
    await sql(`UPDATE users SET time_zone = 'America/New_York' WHERE id = '${bob.id}'`);
    await sql(`INSERT INTO notification_preferences (user_id, muted_server_ids, muted_channel_ids, digest_minutes)
      VALUES ('${bob.id}', '{}', '{}', 1440)`);
    const next = await look(bob);
    const hour = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'America/New_York' });
    expect(hour.format(new Date(next.due_at))).to.equal('08:00:00');
    await sql(`UPDATE notification_preferences SET digest_minutes = 15 WHERE user_id = '${bob.id}'`);
    await pass(bob, '16 minutes');
    expect(await look(bob)).to.equal('none');
    await mailTo(bob);
  });

  it('counts from what was missed first, however much came since', async () => {
    const { bob } = here;
    await mention();
    await pass(bob, '61 minutes');
    await sql(`INSERT INTO notifications SELECT (n).* FROM (
        SELECT jsonb_populate_record(n, jsonb_build_object('id', gen_random_uuid(), 'scope', 'of ' || i, 'updated_at', now())) AS n
        FROM notifications n, generate_series(1, 250) AS i WHERE n.user_id = '${bob.id}') AS copies`);
    expect(await look(bob)).to.equal('none');
    expect((await mailTo(bob)).subject).to.contain('more than 200 notifications');
  });

  it('comes though a page is open that nobody looks at, whatever it loads by itself', async () => {
    const { alice, bob, channel } = here;
    await leave(bob);
    const page = await comeBack(bob);
    const socket = await page.connect();
    await socket.emit('presence:active', { active: false });
    await alice.say(channel.id, `@${bob.username} hello`);
    await notified(bob);
    await pass(bob, '2 hours');
    expect((await socket.emit('channel:join', { channelId: channel.id })).ok).to.equal(true);
    for (const path of ['/api/notifications', `/api/channels/${channel.id}/messages`]) await page.get(path);
    expect(await look(bob)).to.equal('none');
    await mailTo(bob);
    socket.close();
  });

  it('does not come to whoever looks at a page, on whichever node', async () => {
    const { alice, bob, channel } = here;
    await leave(bob);
    const page = await comeBack(bob);
    const sockets = await Promise.all(cluster.nodes.map((node) => page.on(node).connect()));
    const [first, second] = sockets;
    await first?.emit('presence:active', { active: false });
    await second?.emit('presence:active', { active: true });
    await alice.say(channel.id, `@${bob.username} hello`);
    await notified(bob);
    await pass(bob, '2 hours');
    expect(await look(bob)).to.equal('none');
    expect(mailsTo(bob)).to.deep.equal([]);
    for (const socket of sockets) socket.close();
  });

  it('has nothing from before someone looked, or did something, last', async () => {
    const { bob, channel } = here;
    const lately = `SELECT FROM sessions WHERE user_id = '${bob.id}' AND attended_at > now() - interval '1 hour'`;
    await leave(bob);
    const page = await comeBack(bob);
    const ways = [
      async () => {
        const socket = await page.connect();
        await socket.emit('presence:active', { active: true });
        await socket.emit('presence:active', { active: false });
        socket.close();
      },
      () => page.patch('/api/notifications/settings', { keywords: ['release'] }),
    ];
    for (const [earlier, way] of ways.entries()) {
      await here.alice.say(channel.id, `@${bob.username} hello`);
      await notified(bob, earlier + 1);
      await pass(bob, '2 hours');
      await way();
      await until(async () => (await sql(lately)).length > 0);
      expect(await look(bob)).to.equal('none');
    }
    expect(mailsTo(bob)).to.deep.equal([]);
  });

  it('does not come under the status that says not to disturb, which only who is there can end', async () => {
    const { bob } = here;
    await mention();
    await pass(bob, '2 hours');
    await sql(`INSERT INTO presence_wishes (user_id, status) VALUES ('${bob.id}', 'dnd')`);
    expect(await look(bob)).to.equal('none');
    expect(mailsTo(bob)).to.deep.equal([]);
  });

  it('does not come in quiet hours, nor while they snooze, but after them', async () => {
    const { bob } = here;
    await mention();
    await pass(bob, '2 hours');
    await sql(`INSERT INTO notification_preferences (user_id, muted_server_ids, muted_channel_ids, snoozed_until)
      VALUES ('${bob.id}', '{}', '{}', now() + interval '5 hours')`);
    const snoozed = await look(bob);
    const { until: end } = await one(
      `SELECT snoozed_until AS until FROM notification_preferences WHERE user_id = '${bob.id}'`,
    );
    expect(snoozed.due_at).to.deep.equal(end);
    const spans = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '00:00' }));
    await sql(`UPDATE notification_preferences SET snoozed_until = NULL,
      quiet_hours = '${JSON.stringify({ isOn: true, spans })}' WHERE user_id = '${bob.id}'`);
    expect(await look(bob)).to.not.equal('none');
    expect(mailsTo(bob)).to.deep.equal([]);
    await sql(
      `UPDATE notification_preferences SET quiet_hours = '{"isOn":false,"spans":[]}' WHERE user_id = '${bob.id}'`,
    );
    expect(await look(bob)).to.equal('none');
    await mailTo(bob);
  });

  it('does not come again until they were there again', async () => {
    const { alice, bob, channel } = here;
    await mention();
    await pass(bob, '2 hours');
    await look(bob);
    await mailTo(bob);
    await alice.say(channel.id, `@${bob.username} once more`);
    await notified(bob, 2);
    expect(await job(bob)).to.equal(undefined);
    await comeBack(bob);
    // They saw that, and miss the next.
    await sql(`UPDATE sessions SET attended_at = now() WHERE user_id = '${bob.id}'`);
    await alice.say(channel.id, `@${bob.username} news`);
    const due = await look(bob);
    expect(due).to.not.equal('none');
    await sql(`UPDATE digests SET sent_at = sent_at - interval '2 hours' WHERE user_id = '${bob.id}'`);
    await pass(bob, '2 hours');
    await look(bob);
    const mail = await mailTo(bob, 2);
    expect(mail.text).to.contain('news').and.not.contain('once more');
  });

  it('says nothing of what was read, deleted, muted, blocked or lost since', async () => {
    const { alice, bob, carol, channel, server: home } = here;
    await carol.post(`/api/servers/${home.id}/join`, { inviteCode: home.inviteCode });
    const [muted, lost, read, shut] = await Promise.all(
      ['muted', 'lost', 'read', 'shut'].map((name) => here.newChannel(name)),
    );
    await leave(bob);
    const words = ['gone', 'hushed', 'hidden', 'known'];
    const places = [channel.id, muted, lost, read];
    const sent: Loose[] = [];
    for (const [index, id] of places.entries())
      sent.push(await alice.say(id ?? '', `@${bob.username} ${words[index]}`));
    await carol.say(shut ?? '', `@${bob.username} blocked`);
    await notified(bob, 5);
    await pass(bob, '2 hours');
    await sql(`UPDATE notifications SET read_at = now() WHERE user_id = '${bob.id}' AND channel_id = '${read}'`);
    await alice.delete(`/api/messages/${sent[0].id}`);
    await until(async () => (await sql(`SELECT FROM notifications WHERE reference_id = '${sent[0].id}'`)).length === 0);
    await sql(`INSERT INTO notification_preferences (user_id, muted_server_ids, muted_channel_ids)
      VALUES ('${bob.id}', '{}', ARRAY['${muted}']::uuid[])`);
    await alice.delete(`/api/channels/${lost}/members/${bob.id}`);
    await sql(`INSERT INTO blocks (user_id, blocked_id, created_at) VALUES ('${bob.id}', '${carol.id}', now())`);
    await look(bob);
    expect(mailsTo(bob)).to.deep.equal([]);
    const last = await alice.say(channel.id, `@${bob.username} still there`);
    await until(async () => (await sql(`SELECT FROM notifications WHERE reference_id = '${last.id}'`)).length > 0);
    await pass(bob, '2 hours');
    await look(bob);
    const { text = '' } = await mailTo(bob);
    expect(text).to.contain('still there');
    for (const word of [...words, 'blocked']) expect(text).to.not.contain(`${bob.username} ${word}`);
  });

  it('comes to nobody without a proven address, and to nobody who wants none', async () => {
    const { alice, bob, carol, channel, server: home } = here;
    await carol.post(`/api/servers/${home.id}/join`, { inviteCode: home.inviteCode });
    await bob.patch('/api/notifications/settings', { digestMinutes: 0 });
    expect((await bob.get('/api/notifications/settings')).body.digestDefaultMinutes).to.equal(60);
    for (const person of [bob, carol]) await leave(person);
    await alice.say(channel.id, `@${bob.username} @${carol.username} hello`);
    for (const person of [bob, carol]) await notified(person);
    for (const person of [bob, carol]) expect(await job(person)).to.equal(undefined);
    // What was chosen, or lost, while it waits counts too.
    await sql(`UPDATE users SET email_verified_at = now() WHERE id = '${carol.id}'`);
    await alice.say(channel.id, `@${carol.username} hello again`);
    await pass(carol, '2 hours');
    await until(() => job(carol));
    await sql(`UPDATE users SET email_verified_at = NULL WHERE id = '${carol.id}'`);
    expect(await look(carol)).to.equal('none');
    expect(mailsTo(carol)).to.deep.equal([]);
  });

  it('comes once, though the mail server was away, and all nodes ended meanwhile', async () => {
    const { alice, bob, channel } = here;
    isRefusing = true;
    await mention();
    await pass(bob, '2 hours');
    const { id } = await until(() => job(bob));
    await sql(`UPDATE jobs SET due_at = now() WHERE id = '${id}'`);
    await until(async () => (await sql(`SELECT FROM jobs WHERE id = '${id}' AND error IS NOT NULL`)).length > 0);
    const { databaseUrl } = cluster;
    await Promise.all(cluster.nodes.map((node) => node.stop()));
    isRefusing = false;
    const next = await startCluster({ nodes: 2, databaseUrl, settings: settings() });
    cluster.nodes.splice(0, cluster.nodes.length, ...next.nodes);
    const mail = await mailTo(bob);
    await until(async () => (await job(bob)) === undefined);
    await alice.on(next.nodes[0] ?? alice.node).say(channel.id, `@${bob.username} more`);
    await notified(bob, 1);
    expect([mail.messageId?.includes(id), mailsTo(bob).length]).to.deep.equal([true, 1]);
  });

  it('is not even planned where nobody is mailed, nor for those who want none', async () => {
    const cases = [
      { digest: { enabled: false, defaultMinutes: 60 }, planned: { chosen: 0, byDefault: 0 } },
      { digest: { enabled: true, defaultMinutes: 0 }, planned: { chosen: 1, byDefault: 0 } },
    ];
    for (const { digest, planned } of cases) {
      const other = await startCluster({
        nodes: 1,
        settings: { smtpUrl: server.url, publicUrl: site, mail: { digest } },
      });
      const { alice, bob, channel, close } = await world(other);
      const count = async (text: string, ...values: string[]) => (await query(other.databaseUrl, text, values)).length;
      await count('UPDATE users SET email_verified_at = now()');
      await bob.patch('/api/notifications/settings', { digestMinutes: 60 });
      await alice.say(channel.id, `@${bob.username} hello`);
      await bob.say(channel.id, `@${alice.username} hello`);
      await until(async () => (await count("SELECT FROM notifications WHERE kind = 'message.mention'")) === 2);
      const jobs = ({ id }: Person) => count("SELECT FROM jobs WHERE kind = 'digest' AND key = $1", id);
      expect({ chosen: await jobs(bob), byDefault: await jobs(alice) }).to.deep.equal(planned);
      close();
      await other.stop();
    }
  });

  describe('ends', () => {
    const linkIn = (mail: Email): string => /unsubscribe\?token=[\w.-]+/.exec(mail.text ?? '')?.[0] ?? '';
    const open = (path: string, init: RequestInit = {}) => fetch(`${here.bob.node.url}/${path}`, init);
    const minutes = async (): Promise<unknown> =>
      (await one(`SELECT digest_minutes AS minutes FROM notification_preferences WHERE user_id = '${here.bob.id}'`))
        ?.minutes;
    let link = '';

    beforeEach(async () => {
      await mention();
      await pass(here.bob, '2 hours');
      await look(here.bob);
      link = linkIn(await mailTo(here.bob));
    });

    it('by one click of a mail program, without signing in, and all devices know', async () => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await open(link, { method: 'POST', headers: form, body: 'List-Unsubscribe=One-Click' });
      expect([answer.status, await minutes()]).to.deep.equal([200, 0]);
      const { data } = await one(`SELECT data FROM log_entries WHERE stream_id = '${here.bob.id}'
        AND event = 'notification:settings' ORDER BY seq DESC LIMIT 1`);
      expect(data.digestMinutes).to.equal(0);
    });

    it('by a page that asks first, and that no other site can show or use', async () => {
      const page = await open(link);
      expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect(page.headers.get('content-security-policy'))
        .to.contain("default-src 'none'")
        .and.contain("frame-ancestors 'none'");
      expect(page.headers.get('referrer-policy')).to.equal('no-referrer');
      expect(await page.text()).to.contain('<form method="post">');
      expect(await minutes()).to.not.equal(0);
      const done = await open(link, { method: 'POST' });
      expect(await done.text()).to.contain('no more of these mails');
      expect(await minutes()).to.equal(0);
    });

    it('by no link that was changed, or is another’s', async () => {
      const other = link.replace(here.bob.id, here.alice.id);
      for (const path of [other, `${link}x`, 'unsubscribe', 'unsubscribe?token=a.b.c']) {
        expect((await open(path)).status).to.equal(404);
        expect((await open(path, { method: 'POST' })).status).to.equal(404);
      }
      expect(await minutes()).to.not.equal(0);
    });
  });
});
