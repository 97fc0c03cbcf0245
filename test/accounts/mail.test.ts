// nodes: own

import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Email } from 'postal-mime';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { codeIn, dataFolder, startMailServer, tokenIn, verificationTo } from './mailbox.ts';

const folder = dataFolder();
let cluster: Cluster;
const at = (i: number): Node => {
  const node = cluster.nodes[i % cluster.nodes.length];
  if (!node) throw new Error('no node');
  return node;
};
const post = (path: string, body: object, i = 0) => request(at(i), 'POST', `/api/auth/${path}`, body);

/** The newest mail to an address, once there are so many. */
async function mailTo(address: string, count = 1): Promise<Email> {
  return until(async () => {
    const mails = (await folder.mails()).filter((mail) => mail.to?.[0]?.address === address);
    return mails.length >= count ? mails.at(-1) : null;
  });
}

const address = () => `m${Math.random().toString(36).slice(2)}@example.com`;

describe('mail', () => {
  before(async () => {
    const settings = { dataDir: folder.dataDir, newAccountTier: 'visitor', publicUrl: 'https://chat.example.com' };
    cluster = await startCluster({ settings });
  });
  after(() => cluster.stop());

  describe('signing in with a mailed code', () => {
    it('makes an account, and next time finds it', async () => {
      const email = address();
      const started = await post('email/start', { email: ` ${email.toUpperCase()} ` });
      expect([started.status, started.body.ok, started.body.expiresIn]).to.deep.equal([200, true, 600]);
      // Where there is no mail server, people are told where to look.
      expect(started.body.outbox).to.equal(true);
      const mail = await mailTo(email);
      expect(mail.html).to.contain(codeIn(mail));
      const first = await post('email/verify', { email, code: codeIn(mail), displayName: 'Mail Person' }, 1);
      expect(first.status).to.equal(200);
      expect(first.body.user).to.deep.include({ email, displayName: 'Mail Person', status: 'visitor' });
      expect(first.body).to.have.all.keys('accessToken', 'refreshToken', 'deviceToken', 'user');
      await post('email/start', { email });
      const second = await post('email/verify', { email, code: codeIn(await mailTo(email, 2)) });
      expect(second.body.user.id).to.equal(first.body.user.id);
    });

    it('works once, also for many at once', async () => {
      const email = address();
      await post('email/start', { email });
      const code = codeIn(await mailTo(email));
      const answers = await Promise.all([0, 1, 2, 3].map((i) => post('email/verify', { email, code }, i)));
      expect(answers.filter((answer) => answer.status === 200)).to.have.lengthOf(1);
      for (const { status, body } of answers) {
        if (status !== 200) expect([status, body.code]).to.deep.equal([400, 'INVALID_VERIFICATION_CODE']);
      }
    });

    it('takes five tries, however they are made', async () => {
      const email = address();
      await post('email/start', { email });
      const code = codeIn(await mailTo(email));
      const wrong = code === '000000' ? '000001' : '000000';
      const answers = await Promise.all([0, 1, 2, 3, 4].map((i) => post('email/verify', { email, code: wrong }, i)));
      expect(new Set(answers.map((answer) => answer.body.code))).to.deep.equal(new Set(['INVALID_VERIFICATION_CODE']));
      expect((await post('email/verify', { email, code })).body.code).to.equal('INVALID_VERIFICATION_CODE');
    });

    it('refuses what is no code, and an invite code that is none', async () => {
      const email = address();
      const malformed = await post('email/verify', { email, code: 'abc' });
      expect([malformed.status, malformed.body.code]).to.deep.equal([400, 'VALIDATION_FAILED']);
      await post('email/start', { email });
      const code = codeIn(await mailTo(email));
      const invited = await post('email/verify', { email, code, inviteCode: 'NOSUCH22' });
      expect(invited.body.code).to.equal('INVALID_INVITE_CODE');
      expect((await post('email/verify', { email, code })).status).to.equal(200);
    });
  });

  describe('a forgotten password', () => {
    it('is set anew by the mailed link, once, and ends all sessions', async () => {
      const email = address();
      const person = await register(at(0), { email });
      const socket = await person.on(at(1)).connect();
      const started = await post('password-reset/start', { email }, 1);
      expect([started.status, started.body.ok, started.body.expiresIn]).to.deep.equal([200, true, 1800]);
      const mail = await mailTo(email);
      expect(mail.text).to.contain('https://chat.example.com/app/reset-password?token=');
      expect(mail.html).to.contain(tokenIn(mail));
      const passwords = { token: tokenIn(mail), newPassword: 'a brand new one', confirmPassword: 'a brand new one' };
      const unlike = await post('password-reset/complete', { ...passwords, confirmPassword: 'another one' });
      expect([unlike.status, unlike.body.code]).to.deep.equal([400, 'VALIDATION_FAILED']);
      const answers = await Promise.all([0, 1].map((i) => post('password-reset/complete', passwords, i)));
      expect(answers.map((answer) => answer.status).sort()).to.deep.equal([200, 400]);
      const late = answers.find((answer) => answer.status === 400);
      expect(late?.body.code).to.equal('PASSWORD_RESET_TOKEN_INVALID');
      await until(() => socket.socket.disconnected);
      expect((await person.get('/api/auth/me')).body.code).to.equal('SESSION_REVOKED');
      expect((await post('login', { email, password: 'correct horse' })).status).to.equal(401);
      expect((await post('login', { email, password: 'a brand new one' })).status).to.equal(200);
    });

    it('is not set by a link that was mailed before another password was set, by whichever way', async () => {
      const email = address();
      const person = await register(at(0), { email });
      await post('password-reset/start', { email });
      const token = tokenIn(await mailTo(email));
      const passwords = { oldPassword: 'correct horse', newPassword: 'one of my own' };
      expect((await person.put('/api/auth/password', passwords)).status).to.equal(200);
      const used = await post('password-reset/complete', { token, newPassword: 'of a mail reader' });
      expect([used.status, used.body.code]).to.deep.equal([400, 'PASSWORD_RESET_TOKEN_INVALID']);
      expect((await post('login', { email, password: 'one of my own' })).status).to.equal(200);
    });

    it('answers alike for an address without an account, and mails nothing there', async () => {
      const [known, unknown] = [address(), address()];
      await register(at(0), { email: known });
      const answers = await Promise.all([known, unknown].map((email) => post('password-reset/start', { email })));
      expect(answers[0]?.body).to.deep.equal(answers[1]?.body);
      await mailTo(known);
      const mails = await folder.mails();
      expect(mails.some((mail) => mail.to?.[0]?.address === unknown)).to.equal(false);
      const made = await post('password-reset/complete', { token: 'made-up', newPassword: 'long enough' });
      expect([made.status, made.body.code]).to.deep.equal([400, 'PASSWORD_RESET_TOKEN_INVALID']);
    });
  });

  describe('links and codes that are too old', () => {
    it('are refused', async () => {
      const old = dataFolder();
      const accounts = { emailCode: { seconds: 60 }, passwordResetSeconds: 60 };
      const short = await startCluster({ nodes: 1, settings: { dataDir: old.dataDir, accounts } });
      try {
        const [node] = short.nodes;
        if (!node) throw new Error('no node');
        const email = address();
        await register(node, { email });
        await request(node, 'POST', '/api/auth/email/start', { email });
        await request(node, 'POST', '/api/auth/password-reset/start', { email });
        const mails = await until(async () => ((all) => (all.length === 2 ? all : null))(await old.mails()));
        // Those that are over before they are mailed would not be mailed at all.
        for (const table of ['mailed_codes', 'password_resets'])
          await query(short.databaseUrl, `UPDATE ${table} SET expires_at = expires_at - interval '60 seconds'`);
        const code = mails.map(codeIn).find(Boolean);
        const token = mails.map(tokenIn).find(Boolean);
        const verified = await request(node, 'POST', '/api/auth/email/verify', { email, code });
        expect([verified.status, verified.body.code]).to.deep.equal([400, 'VERIFICATION_CODE_EXPIRED']);
        const reset = { token, newPassword: 'long enough' };
        const completed = await request(node, 'POST', '/api/auth/password-reset/complete', reset);
        expect(completed.body.code).to.equal('PASSWORD_RESET_TOKEN_INVALID');
      } finally {
        await short.stop();
      }
    });
  });

  describe('the language of a mail', () => {
    const asks = (language: string) => ({ 'accept-language': language });

    it('is that of the person, else the one that the client asks for, else English', async () => {
      const email = address();
      const start = (language: string) => request(at(0), 'POST', '/api/auth/email/start', { email }, asks(language));
      await start('de-AT, en;q=0.5');
      const first = await mailTo(email);
      expect(first.subject).to.match(/^\d{6} ist dein Code zum Anmelden$/);
      const { accessToken } = (await post('email/verify', { email, code: codeIn(first) }, 1)).body;
      const own = { authorization: `Bearer ${accessToken}` };
      await request(at(1), 'PATCH', '/api/auth/me', { language: 'fr' }, own);
      await start('de');
      const second = await mailTo(email, 2);
      expect(second.subject).to.match(/^\d{6} est votre code de connexion$/);
      expect(second.html).to.contain('lang="fr"');
      await request(at(1), 'PATCH', '/api/auth/me', { language: null }, own);
      await start('*');
      expect((await mailTo(email, 3)).subject).to.match(/^\d{6} is your code to sign in$/);
    });

    it('is known before the person has chosen one', async () => {
      const email = address();
      await request(at(0), 'POST', '/api/auth/register', { email, password: 'correct horse' }, asks('es'));
      const mail = await verificationTo(folder, email);
      expect(mail.subject).to.match(/^\d{6} confirma tu correo$/);
    });
  });

  describe('the page of the reset link', () => {
    it('brings everything with it, and its policy lets nothing else in', async () => {
      for (const [language, direction] of [
        ['en', 'ltr'],
        ['ar', 'rtl'],
      ]) {
        const asks = { 'accept-language': `pt, ${language};q=0.8` };
        const path = '/app/reset-password?token=x';
        const { status, body, headers } = await request(at(0), 'GET', path, undefined, asks);
        expect(body).to.contain(`<html lang="${language}" dir="${direction}">`);
        expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
        const policy = headers.get('content-security-policy') ?? '';
        expect(policy).to.contain("default-src 'none'").and.not.contain('unsafe');
        for (const [tag, directive] of [
          ['style', 'style-src'],
          ['script', 'script-src'],
        ]) {
          const inside = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(body)?.[1] ?? '';
          const hash = createHash('sha256').update(inside).digest('base64');
          expect(policy).to.contain(`${directive} 'sha256-${hash}'`);
        }
        expect(body)
          .not.to.match(/\b(src|href)="https?:/)
          .and.not.to.match(/\son\w+="/);
        expect(headers.get('referrer-policy')).to.equal('no-referrer');
      }
    });
  });

  describe('a real mail server', () => {
    it('gets the mails, of which a failed one is tried again', async () => {
      let refusals = 2;
      const server = await startMailServer({
        onMailFrom(_address, _session, done) {
          refusals--;
          done(refusals >= 0 ? new Error('Not now') : null);
        },
      });
      const settings = { smtpUrl: server.url, mailFrom: 'Chat <chat@example.com>', mail: { retryMs: 20 } };
      const mailing = await startCluster({ nodes: 1, settings });
      try {
        const [node] = mailing.nodes;
        if (!node) throw new Error('no node');
        const email = address();
        await request(node, 'POST', '/api/auth/email/start', { email });
        const mail = await until(() => server.mails[0]);
        expect(mail.from?.address).to.equal('chat@example.com');
        expect(mail.to?.[0]?.address).to.equal(email);
        const verified = await request(node, 'POST', '/api/auth/email/verify', { email, code: codeIn(mail) });
        expect(verified.status).to.equal(200);
      } finally {
        await mailing.stop();
        await server.stop();
      }
    });

    it('that hangs holds nobody up, and does not show who has an account', async () => {
      const server = await startMailServer({ onConnect: () => {} });
      const mailing = await startCluster({
        nodes: 1,
        settings: { smtpUrl: server.url, mail: { queue: 8, timeoutMs: 500 }, shutdown: { graceMs: 200 } },
      });
      try {
        const [node] = mailing.nodes;
        if (!node) throw new Error('no node');
        const email = address();
        await register(node, { email });
        const started = Date.now();
        // More than the queue holds, so some are dropped, and nobody can tell.
        const answers = await Promise.all(
          Array.from({ length: 40 }, (_, i) =>
            request(node, 'POST', '/api/auth/password-reset/start', { email: i % 2 ? email : address() }),
          ),
        );
        expect(Date.now() - started).to.be.below(3000);
        expect(new Set(answers.map((answer) => JSON.stringify([answer.status, answer.body]))).size).to.equal(1);
      } finally {
        await mailing.stop();
        await server.stop();
      }
    });

    it('gets at shutdown what was not sent yet', async () => {
      let late: () => void = () => {};
      const server = await startMailServer({
        onMailFrom(_address, _session, done) {
          late = () => done();
        },
      });
      const mailing = await startCluster({ nodes: 1, settings: { smtpUrl: server.url } });
      const [node] = mailing.nodes;
      if (!node) throw new Error('no node');
      await request(node, 'POST', '/api/auth/email/start', { email: address() });
      const stopped = mailing.stop();
      const timer = setInterval(() => late(), 50);
      await stopped;
      clearInterval(timer);
      expect(server.mails).to.have.lengthOf(1);
      await server.stop();
    });
  });
});
