// nodes: own

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { codeIn, type MailServer, startMailServer } from '../accounts/mailbox.ts';
import { atEnd } from '../rig/ending.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { parley as run } from '../world/operator.ts';
import { request } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { world } from '../world/world.ts';

describe('mail that its server does not take', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-dead-'));
  atEnd(() => rmSync(dataDir, { recursive: true, force: true }));
  let server: MailServer;
  let cluster: Cluster;
  let behaviour: 'hang' | 'refuse' | 'take' = 'hang';
  let arrived = 0;

  const parley = (args: string[]) => run({ DATABASE_URL: cluster.databaseUrl, DATA_DIR: dataDir }, args);
  const metrics = async () => String((await request(first(), 'GET', '/metrics')).body);
  const first = () => {
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    return node;
  };

  before(async () => {
    server = await startMailServer({
      onMailFrom(_address, _session, done) {
        arrived++;
        if (behaviour === 'refuse') done(new Error('Not for someone@example.com'));
        else if (behaviour === 'take') done();
      },
    });
    const mail = { attempts: 2, retryMs: 1, timeoutMs: 1000 };
    cluster = await startCluster({ nodes: 1, settings: { smtpUrl: server.url, mail } });
  });
  after(async () => {
    await cluster.stop();
    await server.stop();
  });

  it('delays no notification', async () => {
    const here = await world(cluster);
    // To those who registered, and as many others as a node sends at once.
    for (let i = 0; i < 4; i++) {
      await request(first(), 'POST', '/api/auth/email/start', { email: `waiting${i}@example.com` });
    }
    await until(() => arrived >= 4);
    const { alice, bob, channel } = here;
    const ear = await bob.connect();
    await alice.say(channel.id, `@${bob.username}`);
    await ear.next('notification:new');
    expect(server.mails).to.deep.equal([]);
    here.close();
  });

  it('is dead after the last attempt, shown without its address, and sent when it is replayed', async () => {
    behaviour = 'refuse';
    const [email, other] = ['someone@example.com', 'other@example.com'];
    for (const to of [email, other]) await request(first(), 'POST', '/api/auth/email/start', { email: to });
    await withRows(cluster.databaseUrl, async (rows) => {
      const waiting = "SELECT FROM jobs WHERE kind LIKE 'mail%' AND died_at IS NULL";
      await until(async () => (await rows(waiting)).length === 0, { timeout: 60_000 });
      const isOther = "kind = 'mail' AND data ->> 'email' IS DISTINCT FROM $1";
      await rows(`DELETE FROM jobs WHERE ${isOther} AND data ->> 'email' IS DISTINCT FROM $2`, [email, other]);
    });
    const shown = await parley(['jobs']);
    expect([shown.code, shown.complaint]).to.deep.equal([0, '']);
    expect(shown.out).to.match(/^mail {2}0 waiting {2}0 of them failing {2}oldest 0 s {2}2 dead$/m);
    expect(shown.out).to.match(/^[\w-]{36} {2}mail {2}.+ {2}2 attempts {2}.*could not be handed over \(EENVELOPE\)/m);
    expect(shown.out).not.to.contain('@example.com');
    expect(await metrics()).to.match(/^parley_jobs_dead\{kind="mail"\} 2$/m);

    behaviour = 'take';
    const ids = [...shown.out.matchAll(/^[\w-]{36}/gm)].map(([id]) => id);
    const [retried, ...more] = ids;
    if (!retried || more.length !== 1) throw new Error('not two dead jobs');
    expect((await parley(['jobs', 'retry', retried])).out).to.equal('One dead job runs again.\n');
    const mail = await until(() => server.mails[0]);
    expect(mail.messageId).to.equal(`<${retried}@localhost>`);
    const to = mail.to?.[0]?.address;
    const verified = await request(first(), 'POST', '/api/auth/email/verify', { email: to, code: codeIn(mail) });
    expect(verified.status).to.equal(200);

    const discarded = await parley(['jobs', 'discard', more[0] ?? '']);
    expect(discarded.out).to.equal('The dead job is deleted.\n');
    expect((await parley(['jobs', 'retry', 'all'])).out).to.equal('0 dead jobs run again.\n');
    expect(await metrics()).to.match(/^parley_jobs_dead\{kind="mail"\} 0$/m);
    expect(await metrics()).to.match(/^parley_jobs_died_total\{kind="mail"\} \d+$/m);
  });

  it('is not sent when its code is over', async () => {
    behaviour = 'refuse';
    const before = server.mails.length;
    const email = 'late@example.com';
    await request(first(), 'POST', '/api/auth/email/start', { email });
    await withRows(cluster.databaseUrl, async (rows) => {
      const dead = "SELECT FROM jobs WHERE kind = 'mail' AND data ->> 'email' = $1 AND died_at IS NOT NULL";
      await until(async () => (await rows(dead, [email])).length === 1);
      await rows('UPDATE mailed_codes SET expires_at = now() WHERE email = $1', [email]);
      behaviour = 'take';
      await rows("UPDATE jobs SET died_at = NULL, attempts = 0, due_at = now() WHERE kind = 'mail'");
      await until(async () => (await rows("SELECT FROM jobs WHERE kind = 'mail'")).length === 0);
    });
    expect(server.mails.length).to.equal(before);
  });
});
