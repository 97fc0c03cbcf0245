// nodes: own

import { expect } from 'chai';
import { problemOf } from '../../src/features/operators/trials.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { Mailer } from '../../src/infrastructure/mail.ts';
import { type MailServer, startMailServer } from '../accounts/mailbox.ts';
import { type PushService, pushService } from '../notifications/push-service.ts';
import { freePort } from '../rig/free-port.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster, testSettings } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';

describe('tasks of operators', () => {
  let server: MailServer;
  let pushes: PushService;
  let cluster: Cluster;
  let operator: Person;
  let refusal: 'sender' | 'recipient' | null = null;
  const at = (i: number) => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const sql = (text: string, values: unknown[] = []) => query<Loose>(cluster.databaseUrl, text, values);
  const dead = async (): Promise<Loose[]> => (await operator.get('/api/operator/jobs/dead')).body;
  /** A job of a kind that no node knows, which so stays as it is. */
  async function bury(kind = 'strange'): Promise<string> {
    const [job] = await sql(
      `INSERT INTO jobs (id, kind, data, attempts, error, died_at)
       VALUES (gen_random_uuid(), $1, '{}', 4, 'It went wrong.', now()) RETURNING id`,
      [kind],
    );
    return job?.id;
  }

  before(async () => {
    server = await startMailServer({
      onMailFrom: (_address, _session, done) =>
        done(refusal === 'sender' ? new Error('Not for this sender') : undefined),
      onRcptTo: (_address, _session, done) => done(refusal === 'recipient' ? new Error('No such mailbox') : undefined),
    });
    pushes = await pushService();
    cluster = await startCluster({ nodes: 2, settings: { smtpUrl: server.url, appProxyAllow: [pushes.host] } });
    operator = await register(at(0));
    await sql('UPDATE users SET is_operator = true WHERE id = $1', [operator.id]);
  });
  after(async () => {
    await cluster.stop();
    await server.stop();
    await pushes.close();
  });

  it('list jobs by kind, and those that were given up', async () => {
    const id = await bury();
    const kinds: Loose[] = (await operator.get('/api/operator/jobs')).body;
    expect(kinds.find(({ kind }) => kind === 'strange')).to.deep.include({ waiting: 0, dead: 1, isAbout: false });
    expect(kinds.map(({ kind }) => kind)).to.include.members(['mail', 'push']);
    const found = (await dead()).find((job) => job.id === id);
    expect(found).to.deep.include({ kind: 'strange', attempts: 4, error: 'It went wrong.' });
    await bury();
    const page = await operator.get('/api/operator/jobs/dead?limit=1');
    expect([page.body.length, page.headers.get('x-has-more')]).to.deep.equal([1, 'true']);
    const next = await operator.get(`/api/operator/jobs/dead?limit=1&cursor=${page.body[0].id}`);
    expect(next.body.map((job: Loose) => job.id)).not.to.deep.equal([page.body[0].id]);
  });

  it('count no more than a thousand of a kind', async () => {
    await sql(
      `INSERT INTO jobs (id, kind, data, run_at, due_at)
       SELECT gen_random_uuid(), 'many', '{}', now() + interval '1 day', now() + interval '1 day' FROM generate_series(1, 1500)`,
    );
    await bury('many');
    const kinds: Loose[] = (await operator.get('/api/operator/jobs')).body;
    expect(kinds.find(({ kind }) => kind === 'many')).to.deep.include({
      waiting: 1000,
      isAbout: true,
      oldestSeconds: 0,
    });
    await sql(`DELETE FROM jobs WHERE kind = 'many'`);
  });

  it('run a dead job again, or delete it, once, and tell who did', async () => {
    await sql('DELETE FROM jobs WHERE died_at IS NOT NULL');
    const [one, two] = [await bury(), await bury()];
    const entry = async (): Promise<Loose> => (await operator.get('/api/operator/audit?limit=1')).body[0];
    expect((await operator.post(`/api/operator/jobs/${one}/retry`)).status).to.equal(200);
    const [revived] = await sql('SELECT died_at, attempts FROM jobs WHERE id = $1', [one]);
    expect(revived).to.deep.equal({ died_at: null, attempts: 0 });
    expect((await entry()).target).to.deep.include({ kind: 'job', id: one, label: 'strange' });
    expect((await operator.delete(`/api/operator/jobs/${two}`)).status).to.equal(200);
    expect(await sql('SELECT FROM jobs WHERE id = $1', [two])).to.deep.equal([]);
    const { action, actor, before } = await entry();
    expect([action, actor.id, before]).to.deep.equal(['job.discard', operator.id, { kind: 'strange', attempts: 4 }]);
    for (const id of [one, two]) {
      expect((await operator.post(`/api/operator/jobs/${id}/retry`)).body.code).to.equal('JOB_NOT_FOUND');
      expect((await operator.delete(`/api/operator/jobs/${id}`)).body.code).to.equal('JOB_NOT_FOUND');
    }
  });

  it('run all dead jobs again', async () => {
    await sql('DELETE FROM jobs WHERE died_at IS NOT NULL');
    await bury();
    await bury();
    expect((await operator.post('/api/operator/jobs/retry')).body).to.deep.equal({ count: 2 });
    expect(await dead()).to.deep.equal([]);
    const [entry] = (await operator.get('/api/operator/audit?limit=1')).body;
    expect([entry.action, entry.after]).to.deep.equal(['job.retry', { count: 2 }]);
    expect((await operator.post('/api/operator/jobs/retry')).body).to.deep.equal({ count: 0 });
  });

  it('send a mail to the operator at once, in their language, and say why it was not taken', async () => {
    const { email } = (await operator.get('/api/auth/me')).body;
    await operator.patch('/api/auth/me', { language: 'de' });
    const taken = await operator.post('/api/operator/trials/mail');
    expect(taken.body).to.deep.equal({ ok: true, to: email, by: 'smtp', problem: null, detail: null });
    await until(() =>
      server.mails.some(({ to, subject }) => to?.[0]?.address === email && /^Eine Probe/.test(subject ?? '')),
    );
    for (const [of, words] of [
      ['sender', 'Not for this sender'],
      ['recipient', 'No such mailbox'],
    ] as const) {
      refusal = of;
      const { body } = await operator.post('/api/operator/trials/mail');
      expect([body.ok, body.problem]).to.deep.equal([false, of]);
      expect(body.detail).to.contain(words);
    }
    refusal = null;
    await sql('UPDATE users SET email = NULL WHERE id = $1', [operator.id]);
    expect((await operator.post('/api/operator/trials/mail')).body.code).to.equal('NO_EMAIL');
  });

  it('push to the devices of the operator, and say of each what became of it', async () => {
    expect((await operator.post('/api/operator/trials/push')).body).to.deep.equal([]);
    const device = pushes.device();
    await device.subscribe(operator);
    const trial = async (): Promise<Loose> => (await operator.on(at(1)).post('/api/operator/trials/push')).body[0];
    expect(await trial()).to.deep.include({ outcome: 'sent', detail: null });
    expect(device.accepted('test').length).to.equal(1);
    for (const [status, outcome] of [
      [403, 'failed'],
      [503, 'refused'],
      [410, 'gone'],
    ] as const) {
      device.answer(status);
      const told = await trial();
      expect(told.outcome).to.equal(outcome);
      if (outcome !== 'gone') expect(told.detail).to.contain(String(status));
    }
    device.answer(201);
    expect((await trial()).outcome, 'a trial ends no subscription').to.equal('sent');
    await sql(`UPDATE push_subscriptions SET server_key = 'another'`);
    expect((await trial()).outcome).to.equal('outdated');
  });
});

describe('a mail that is not taken', () => {
  it('has a reason: nobody listens there', async () => {
    const settings = testSettings('postgres://localhost/none', null, {
      smtpUrl: `smtp://127.0.0.1:${await freePort()}`,
    });
    const mailer = new Mailer(settings, createLog('silent'));
    const failure = await mailer.attempt({ to: 'a@example.com', subject: 'x', text: 'x', html: 'x' }, 'id');
    await mailer.close();
    expect(failure && problemOf(failure)).to.equal('not-reachable');
    expect(failure?.words).to.contain('ECONNREFUSED');
  });

  it('has the reason that the library tells', () => {
    const reason = (code: string, words = '', command: string | null = null) => problemOf({ code, words, command });
    expect(reason('EDNS', 'getaddrinfo ENOTFOUND mail.example')).to.equal('unknown-host');
    expect(reason('EAUTH', '535 Bad credentials')).to.equal('sign-in');
    expect(reason('ETIMEDOUT', 'Connection timeout')).to.equal('timed-out');
    expect(reason('ESOCKET', 'self-signed certificate')).to.equal('certificate');
    expect(reason('ESOCKET', 'something new')).to.equal('other');
  });
});
