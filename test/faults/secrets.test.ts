// nodes: own

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import pg from 'pg';
import pino from 'pino';
import { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/up-to-date.ts';
import { forgetEnded } from '../../src/features/accounts/forget-ended.table.ts';
import { Tokens } from '../../src/features/accounts/tokens.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { startNode } from '../../src/node/node.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { codeOf, complete, login, proven, withApp } from '../accounts/factors.ts';
import { codeIn, dataFolder, tokenIn } from '../accounts/mailbox.ts';
import { createDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { startCluster, testSettings } from '../world/nodes.ts';
import { Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';

const silent = createLog('silent');

describe('what must stay secret', () => {
  it('is in no line of the log and, but for hashes, nowhere in the database', async () => {
    const folder = dataFolder();
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const database = await createDatabase((url) => migrate(url, silent).then(() => {}));
    const node = await startNode(
      testSettings(database.url, null, { dataDir: folder.dataDir, appProxyAllow: ['127.0.0.1'] }),
      log,
    );
    const client = new pg.Client(database.url);
    try {
      await client.connect();
      const password = 'a password nobody may see';
      const person = await register(node, { password });
      const email = `${person.username}@example.com`;
      await request(node, 'POST', '/api/auth/login', { email, password: 'a wrong password to keep' });
      await request(node, 'POST', '/api/auth/login', `{"email": "${email}", "password": "${password}`);
      const pair = (await request(node, 'POST', '/api/auth/refresh', { refreshToken: person.refreshToken })).body;
      const keyed = { 'idempotency-key': 'k' };
      const pat = (await person.post('/api/tokens', { name: 'x', scope: 'user:write' }, keyed)).body.token;
      await request(node, 'GET', '/api/auth/me', undefined, { authorization: `Bearer ${pat}x` });
      await request(node, 'POST', '/api/auth/email/start', { email });
      await request(node, 'POST', '/api/auth/password-reset/start', { email });
      const mails = await until(async () => {
        const all = await folder.mails();
        return all.length === 2 ? all : null;
      });
      const [code, reset] = [mails.map(codeIn).find(Boolean) ?? '', mails.map(tokenIn).find(Boolean) ?? ''];
      const agent = (await person.post('/api/agents', { name: `${person.username}bot` })).body;
      const hook = { url: 'http://127.0.0.1:9/' };
      const webhook = (await person.put(`/api/agents/${agent.id}/webhook`, hook)).body.secret;
      const webhook2 = (await person.post(`/api/agents/${agent.id}/webhook/secret`, {}, keyed)).body.secret;
      await client.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [person.id]);
      const app = (await person.post('/api/auth/totp')).body.secret;
      const given = await person.post('/api/auth/totp/complete', { totp: codeOf(app) });
      const [recovery] = given.body.recoveryCodes;
      const { ticket } = (await request(node, 'POST', '/api/auth/login', { email, password })).body;
      const asked = (await request(node, 'POST', '/api/auth/passkeys/sign-in/start')).body;
      const secrets = {
        app,
        recovery,
        ticket,
        challenge: asked.challenge,
        password,
        agent: agent.token,
        webhook,
        webhook2,
        pat,
        reset,
        first: person.refreshToken,
        next: pair.refreshToken,
        access: person.token,
      };
      const text = `${lines.join('\n')}\n${await everything(client)}`;
      for (const [what, secret] of Object.entries(secrets)) {
        expect(secret, what).to.have.length.above(10);
        expect(text.includes(secret), what).to.equal(false);
      }
      expect(text.includes('a wrong password to keep')).to.equal(false);
      expect(code).to.match(/^\d{6}$/);
      const { rows } = await client.query('SELECT * FROM mailed_codes');
      expect(JSON.stringify(rows[0])).not.to.contain(code);
    } finally {
      await client.end();
      await node.stop();
      await database.drop();
    }
  });
});

/** All rows of all tables, as text. */
async function everything(client: pg.Client): Promise<string> {
  const tables = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  const texts: string[] = [];
  for (const { tablename } of tables.rows) {
    const { rows } = await client.query(`SELECT row_to_json(t)::text AS text FROM ${pg.escapeIdentifier(tablename)} t`);
    texts.push(...rows.map((row) => row.text));
  }
  return texts.join('\n');
}

describe('JWT secrets', () => {
  it('are rotated without signing anyone out, and then the old one is worth nothing', async () => {
    const [old, next] = [
      { kid: 'old', secret: 'the secret of last year' },
      { kid: 'next', secret: 'the secret of this year' },
    ];
    const cluster = await startCluster({ nodes: 1, settings: { jwtSecrets: [old] } });
    const folder = dataFolder();
    const start = (jwtSecrets: (typeof old)[]) =>
      startNode(testSettings(cluster.databaseUrl, null, { dataDir: folder.dataDir, jwtSecrets }), silent);
    try {
      const [first] = cluster.nodes;
      if (!first) throw new Error('no node');
      const person = await register(first);
      const both = await start([next, old]);
      expect((await person.on(both).get('/api/auth/me')).status).to.equal(200);
      const pair = (await request(both, 'POST', '/api/auth/refresh', { refreshToken: person.refreshToken })).body;
      expect(jwt.decode(pair.accessToken, { complete: true })?.header.kid).to.equal('next');
      await both.stop();
      const last = await start([next]);
      expect((await person.on(last).get('/api/auth/me')).body.code).to.equal('ACCESS_TOKEN_INVALID');
      const renewed = new Person(last, { ...person, token: pair.accessToken });
      expect((await renewed.get('/api/auth/me')).status).to.equal(200);
      await last.stop();
    } finally {
      await cluster.stop();
    }
  });
});

describe('the secrets of authenticator apps', () => {
  it('are sealed anew with the first JWT secret, so that the old one may go', async () => {
    const [old, next] = [
      { kid: 'old', secret: 'the secret of last year' },
      { kid: 'next', secret: 'the secret of this year' },
    ];
    const cluster = await startCluster({ nodes: 1, settings: { jwtSecrets: [old] } });
    const start = (jwtSecrets: (typeof old)[]) =>
      startNode(testSettings(cluster.databaseUrl, null, { jwtSecrets }), silent);
    try {
      const [first] = cluster.nodes;
      if (!first) throw new Error('no node');
      const person = await proven(cluster, first);
      const { secret } = await withApp(cluster, person);
      const both = await start([next, old]);
      const sql = 'SELECT secret FROM totp_factors WHERE user_id = $1';
      await until(async () => {
        const [row] = await query<{ secret: string }>(cluster.databaseUrl, sql, [person.id]);
        return row?.secret.startsWith('next.');
      });
      await both.stop();
      const last = await start([next]);
      const { ticket } = (await login(last, person.email)).body;
      expect((await complete(last, ticket, { totp: codeOf(secret) })).body.user.id).to.equal(person.id);
      await last.stop();
    } finally {
      await cluster.stop();
    }
  });
});

describe('tokens that an older version signed', () => {
  it('are accepted under the name that it gave their secret, and new ones say nothing of it', () => {
    const settings = loadSettings({ NODE_ENV: 'test', JWT_SECRET: 'a secret that is long enough for it' });
    const [secret] = settings.jwtSecrets;
    if (!secret?.formerKid) throw new Error('no secret');
    const older = new Tokens({ ...settings, jwtSecrets: [{ kid: secret.formerKid, secret: secret.secret }] });
    const claims = { sub: randomUUID(), sid: randomUUID(), typ: 'access' as const };
    expect(new Tokens(settings).verify(older.sign(claims, 60))).to.include(claims);
    const { kid } = jwt.decode(new Tokens(settings).sign(claims, 60), { complete: true })?.header ?? {};
    expect(kid).to.equal(secret.kid).and.not.equal(secret.formerKid);
  });
});

describe('what ended long ago', () => {
  it('is taken away, and nothing else', async () => {
    const cluster = await startCluster({ nodes: 1 });
    const settings = testSettings(cluster.databaseUrl, null);
    const database = await Database.connect(cluster.databaseUrl, settings, silent);
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const [gone, ended, alive] = [await register(node), await register(node), await register(node)];
      await gone.post('/api/auth/logout');
      await ended.post('/api/auth/logout');
      await request(node, 'POST', '/api/auth/refresh', { refreshToken: alive.refreshToken });
      // In one transaction, since the node takes such rows away too, as soon as it sees them.
      const removed = await database.quickTransaction(async (rows) => {
        await rows("UPDATE sessions SET revoked_at = now() - interval '4 days' WHERE user_id = $1", [gone.id]);
        let sum = 0;
        for (const chore of forgetEnded(settings.accounts)) sum += await chore.step(rows);
        return sum;
      });
      expect(removed).to.equal(1);
      expect((await alive.get('/api/auth/me')).status).to.equal(200);
      expect((await ended.get('/api/auth/me')).body.code).to.equal('SESSION_REVOKED');
    } finally {
      await database.close();
      await cluster.stop();
    }
  });
});

describe('the settings of identity providers', () => {
  const load = (more: Record<string, string>) =>
    loadSettings({ NODE_ENV: 'test', JWT_SECRET: 'x'.repeat(16), ...more });
  const secrets = (name: string) => ({ [`OAUTH_${name}_CLIENT_ID`]: 'id', [`OAUTH_${name}_CLIENT_SECRET`]: 'secret' });

  it('are read for any number of them; Google and GitHub need no issuer', () => {
    const { oauthProviders } = load({
      ...secrets('GOOGLE'),
      ...secrets('GITHUB'),
      ...secrets('MY_CORP'),
      OAUTH_MY_CORP_ISSUER: 'https://id.example.com',
    });
    const shown = oauthProviders.map(({ name, kind, issuer }) => `${name} ${kind} ${issuer}`);
    expect(shown).to.have.members([
      'google openid https://accounts.google.com',
      'github github https://github.com',
      'my-corp openid https://id.example.com',
    ]);
  });

  it('stop the start with a sentence when they are not complete, not safe or not known', () => {
    expect(() => load(secrets('CORP'))).to.throw('OAUTH_CORP_ISSUER must be set.');
    expect(() => load({ OAUTH_GOOGLE_CLIENT_ID: 'x' })).to.throw('OAUTH_GOOGLE_CLIENT_SECRET must be set.');
    expect(() => load({ ...secrets('CORP'), OAUTH_CORP_ISSUER: 'http://id.example.com' })).to.throw(
      'must be an https URL',
    );
    expect(() => load({ OAUTH_CORP_COLOUR: 'red' })).to.throw('OAUTH_CORP_COLOUR is not known');
    expect(() => load({ ...secrets('ACCOUNTS'), OAUTH_ACCOUNTS_ISSUER: 'https://a.example' })).to.throw(
      'cannot be the name',
    );
    expect(load({ ...secrets('CORP'), OAUTH_CORP_ISSUER: 'http://127.0.0.1:9000' }).oauthProviders).to.have.lengthOf(1);
  });
});
