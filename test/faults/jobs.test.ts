// nodes: own

import { expect } from 'chai';
import pg from 'pg';
import type { SMTPServerAddress } from 'smtp-server';
import { codeIn, type MailServer, startMailServer } from '../accounts/mailbox.ts';
import { until } from '../rig/until.ts';
import { type Installation, install } from '../world/installation.ts';
import type { NodeProcess } from '../world/node-process.ts';
import { type Loose, request } from '../world/person.ts';

/** Jobs of one kind stop where they are leased or deleted, for as long as the test holds an advisory lock. */
const holdAt = (event: string, lock: number) => `
  CREATE FUNCTION hold_${event}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(${lock});
    RETURN coalesce(new, old);
  END $$;
  CREATE TRIGGER hold_${event} BEFORE ${event} ON jobs FOR EACH ROW WHEN (old.kind = 'mail')
    EXECUTE FUNCTION hold_${event}()`;
const [atLease, atDeletion] = [1, 2];

describe('what follows a change when the node dies', () => {
  let mailServer: MailServer;
  let site: Installation;
  let client: pg.Client;
  let holder: pg.Client;
  const hanging = new Set<string>();
  const hung: string[] = [];

  const node = (): NodeProcess => {
    const [only] = site.nodes;
    if (!only) throw new Error('no node');
    return only;
  };
  const ask = (email: string) => request(node(), 'POST', '/api/auth/email/start', { email });
  const mailsTo = (email: string) => mailServer.mails.filter((mail) => mail.to?.[0]?.address === email);
  const jobs = async (kind: string): Promise<Loose[]> =>
    (await client.query('SELECT * FROM jobs WHERE kind = $1 ORDER BY id', [kind])).rows;

  before(async () => {
    mailServer = await startMailServer({
      onRcptTo({ address }: SMTPServerAddress, _session, done) {
        if (!hanging.has(address)) return done();
        hung.push(address);
      },
    });
    site = await install({ env: { NODE_ENV: 'test', SMTP_URL: mailServer.url } });
    [client, holder] = [new pg.Client(site.databaseUrl), new pg.Client(site.databaseUrl)];
    for (const one of [client, holder]) await one.connect();
    // The mails to those who registered.
    await until(async () => (await jobs('mail')).length === 0 && (await jobs('mail-request')).length === 0);
    await client.query(holdAt('update', atLease));
    await client.query(holdAt('delete', atDeletion));
  });
  after(async () => {
    for (const one of [client, holder]) await one.end();
    await site.stop();
    await mailServer.stop();
  });

  it('is done after its next start, wherever it was, and nothing that was not committed', async () => {
    const { alice, server } = site.here;
    const { body: doomed } = await alice.post(`/api/servers/${server.id}/channels`, { name: 'doomed' });
    for (let i = 0; i < 3; i++) await alice.say(doomed.id, `${i}`);
    const [uncommitted, waiting, sending, sent] = ['a', 'b', 'c', 'd'].map((name) => `${name}@example.com`);
    if (!uncommitted || !waiting || !sending || !sent) throw new Error('no addresses');
    await holder.query('SELECT pg_advisory_lock($1)', [atDeletion]);
    // Sent, and not deleted yet.
    await ask(sent);
    await until(() => mailsTo(sent).length === 1);
    // In the midst of being sent.
    hanging.add(sending);
    await ask(sending);
    await until(() => hung.length === 1);
    // Committed, and not begun.
    await holder.query('SELECT pg_advisory_lock($1)', [atLease]);
    await ask(waiting);
    await holder.query('BEGIN');
    await holder.query("INSERT INTO email_codes VALUES ($1, '', 0, now())", [uncommitted]);
    // Not committed: it waits for the other code of the same address.
    const refused = ask(uncommitted).catch(() => null);
    const blocked =
      'SELECT FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE $1 AND wait_event_type = $2';
    await until(async () => (await client.query(blocked, ['insert into%mailed_codes%', 'Lock'])).rowCount === 1);
    // In the midst of a purge.
    await holder.query('LOCK TABLE attachments IN ACCESS EXCLUSIVE MODE');
    await alice.delete(`/api/channels/${doomed.id}`);
    await until(async () => (await client.query(blocked, ['DELETE FROM attachments%', 'Lock'])).rowCount === 1);

    await node().kill();
    await refused;
    hanging.clear();
    await holder.query('ROLLBACK');
    await holder.query('SELECT pg_advisory_unlock_all()');
    const left = await until(async () => ((all) => (all.length === 3 ? all : null))(await jobs('mail')));
    expect(left.map(({ data }) => data.email)).to.deep.equal([sent, sending, waiting]);
    expect(JSON.stringify(left)).not.to.match(/\b\d{6}\b/);
    expect(await jobs('channel-purge')).to.have.lengthOf(1);

    // Their leases are over.
    await client.query("UPDATE jobs SET due_at = now() WHERE kind = 'mail'");
    await node().start();
    await until(async () => (await jobs('mail')).length === 0);
    const repeats = mailsTo(sent);
    expect(repeats.length).to.be.at.least(2);
    expect(new Set(repeats.map(({ messageId }) => messageId)).size).to.equal(1);
    expect(new Set(repeats.map(codeIn)).size).to.equal(1);
    expect([sending, waiting, uncommitted].map((email) => mailsTo(email).length)).to.deep.equal([1, 1, 0]);
    for (const email of [sent, sending, waiting]) {
      const code = mailsTo(email).map(codeIn).at(-1);
      const { status } = await request(node(), 'POST', '/api/auth/email/verify', { email, code });
      expect(status, email).to.equal(200);
    }
    await until(
      async () => (await client.query('SELECT FROM messages WHERE channel_id = $1', [doomed.id])).rowCount === 0,
    );
    // The rest goes when everyone has the event.
    const [rest] = await jobs('channel-purge');
    expect(new Date(rest?.run_at).getTime()).to.be.greaterThan(Date.now() + 60_000);
  });
});
