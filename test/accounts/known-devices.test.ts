// nodes: one and two

import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Person, request } from '../world/person.ts';
import { register } from '../world/world.ts';
import { codeIn, dataFolder } from './mailbox.ts';

const rates = {
  auth: { points: 1000, seconds: 60 },
  emailStart: { points: 1000, seconds: 600 },
  resetStart: { points: 1000, seconds: 600 },
  mailbox: { points: 2, seconds: 3600 },
  mailboxTotal: { points: 4, seconds: 3600 },
  loginFailures: { points: 3, seconds: 900 },
  accountFailures: { points: 7, seconds: 900 },
};

describe('strangers who try', () => {
  const folder = dataFolder();
  let cluster: Cluster;
  let count = 0;
  const at = (i: number): Node => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const somewhere = () => `203.0.113.${++count}`;
  const post = (path: string, body: object, from = somewhere(), i = count) =>
    request(at(i), 'POST', `/api/auth/${path}`, body, { 'x-forwarded-for': from });
  const login = (email: string, password: string, from?: string, deviceToken?: string) =>
    post('login', { email, password, deviceToken }, from);
  const newcomer = async (): Promise<{ person: Person; email: string; deviceToken: string }> => {
    const person = await register(at(0), {}, { 'x-forwarded-for': somewhere() });
    const email = `${person.username}@example.com`;
    const { deviceToken } = (await login(email, 'correct horse')).body;
    expect(deviceToken).to.be.a('string');
    return { person, email, deviceToken };
  };
  const attack = async (email: string) => {
    for (let i = 0; i < 7; i++) expect((await login(email, 'wrong horse')).status).to.equal(401);
    expect((await login(email, 'correct horse')).status).to.equal(429);
  };
  const codesTo = async (email: string) =>
    (await folder.mails()).filter((mail) => mail.to?.[0]?.address === email).map(codeIn);

  before(async () => {
    const settings = { rateLimits: true, trustProxy: 1, rates, dataDir: folder.dataDir };
    const limits = { ipv6SiteFactor: 2 };
    cluster = await startCluster({ settings: { ...settings, limits } });
  });
  after(() => cluster.stop());

  it('lock nobody out of a device that has signed in before', async () => {
    const { email, deviceToken } = await newcomer();
    await attack(email);
    const { status, body } = await login(email, 'correct horse', somewhere(), deviceToken);
    expect(status).to.equal(200);
    // It stays the same device, and has tries of its own.
    for (let i = 0; i < 3; i++)
      expect((await login(email, 'wrong horse', somewhere(), body.deviceToken)).status).to.equal(401);
    expect((await login(email, 'correct horse', somewhere(), deviceToken)).status).to.equal(429);
  });

  it('are not helped by the token of another account, or by one that is none', async () => {
    const [{ email }, other] = [await newcomer(), await newcomer()];
    await attack(email);
    const access = (await login(other.email, 'correct horse')).body.accessToken;
    for (const token of [other.deviceToken, access, `${other.deviceToken.slice(0, -2)}xx`, 'nonsense'])
      expect((await login(email, 'correct horse', somewhere(), token)).status).to.equal(429);
    const headers = { authorization: `Bearer ${other.deviceToken}` };
    expect((await request(at(0), 'GET', '/api/auth/me', undefined, headers)).status).to.equal(401);
  });

  it('lock nobody out from one address alone', async () => {
    const { email } = await newcomer();
    const from = somewhere();
    for (let i = 0; i < 3; i++) expect((await login(email, 'wrong horse', from)).status).to.equal(401);
    // Refused ones do not count for the account.
    for (let i = 0; i < 10; i++) expect((await login(email, 'wrong horse', from)).status).to.equal(429);
    expect((await login(email, 'correct horse')).status).to.equal(200);
  });

  it('count as one address in a /64, and together in a /48', async () => {
    const { email } = await newcomer();
    const tries = async (network: string) => {
      const from = (i: number) => `2001:db8:77:${network}::${i}`;
      const answers = [1, 2, 3, 4].map(async (i) => (await login(email, 'wrong horse', from(i))).status);
      return (await Promise.all(answers)).filter((status) => status === 401).length;
    };
    expect(await tries('1')).to.equal(3);
    expect(await tries('2')).to.equal(3);
    expect(await tries('3')).to.equal(0);
    expect((await login(email, 'wrong horse', '2001:db8:78:1::1')).status).to.equal(401);
    expect((await login(email, 'correct horse', '2001:db8:79:1::1')).status).to.equal(429);
  });

  it('learn from no count which username an address belongs to', async () => {
    const { person, email } = await newcomer();
    await attack(email);
    expect((await login(person.username, 'wrong horse')).status).to.equal(401);
  });

  it('do not keep a session from confirming itself', async () => {
    const { person, email, deviceToken } = await newcomer();
    await attack(email);
    await attack(person.username);
    const proof = { password: 'correct horse' };
    for (const body of [proof, { ...proof, deviceToken }])
      expect((await person.post('/api/auth/confirm', body)).status).to.equal(200);
    expect((await person.post('/api/auth/confirm', { deviceToken })).body.code).to.equal('VALIDATION_FAILED');
    const change = { oldPassword: 'correct horse', newPassword: 'another horse' };
    expect((await person.put('/api/auth/password', change)).status).to.equal(200);
  });

  it('end no code that somebody else has asked for, nor its tries', async () => {
    const { person, email } = await newcomer();
    const home = somewhere();
    await post('email/start', { email }, home);
    const code = await until(async () => (await codesTo(email))[0]);
    await post('email/start', { email });
    await until(async () => (await codesTo(email)).length === 2);
    const codes = await codesTo(email);
    const wrong = ['111111', '222222', '333333'].find((one) => !codes.includes(one)) ?? '';
    const guess = (from?: string) => post('email/verify', { email, code: wrong }, from);
    for (let i = 0; i < 8; i++) expect((await guess()).body.code).to.equal('INVALID_VERIFICATION_CODE');
    // Theirs are used up: the right one helps nobody elsewhere any more.
    expect((await post('email/verify', { email, code })).body.code).to.equal('INVALID_VERIFICATION_CODE');
    for (let i = 0; i < 4; i++) await guess(home);
    const { status, body } = await post('email/verify', { email, code }, home);
    expect([status, body.user?.id]).to.deep.equal([200, person.id]);
    expect((await post('email/verify', { email, code }, home)).body.code).to.equal('INVALID_VERIFICATION_CODE');
  });

  it('guess at a code five times from where it was asked for, however many at once', async () => {
    const { email } = await newcomer();
    const home = somewhere();
    await post('email/start', { email }, home);
    const code = await until(async () => (await codesTo(email))[0]);
    const wrong = code === '111111' ? '222222' : '111111';
    await Promise.all([0, 1, 2, 3, 4].map((i) => post('email/verify', { email, code: wrong }, home, i)));
    expect((await post('email/verify', { email, code }, home)).body.code).to.equal('INVALID_VERIFICATION_CODE');
  });

  it('use up no mails of a known device, and fill nobody’s mailbox by tags', async () => {
    const { email, deviceToken } = await newcomer();
    const [name] = email.split('@');
    for (let i = 0; i < 6; i++) await post('email/start', { email: `${name}+${i}@example.com` });
    await post('email/start', { email });
    await post('email/start', { email, deviceToken });
    const tagged = async () =>
      (await Promise.all([0, 1, 2, 3, 4, 5].map((i) => codesTo(`${name}+${i}@example.com`)))).flat();
    await until(async () => (await codesTo(email)).length === 1);
    // Several mails are sent at once, and may overtake each other.
    await until(async () => (await tagged()).length >= 4);
    expect(await tagged()).to.have.lengthOf(4);
    expect(await codesTo(email)).to.have.lengthOf(1);
  });
});
