// nodes: one and two

import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { halves, sendPicture } from '../pictures/samples.ts';
import { botIn } from '../world/bot.ts';
import type { Answer, Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';
import { discordMessage, githubPush, slackMessage } from './samples.ts';

const json = async (answer: Response): Promise<Loose> => answer.json();
const code = ({ status, body }: Answer) => [status, body.code];

/** On several nodes alice, who manages the channel, and bob, who posts and reads, are on different ones. */
describe('an incoming webhook', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const hooks = () => `/api/channels/${here.channel.id}/hooks`;
  const make = async (more: object = {}): Promise<Loose> => {
    const answer = await here.alice.post(hooks(), { name: 'Robot of builds', ...more });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  /** Posts without signing in. */
  const post = (path: string, body: string | object, headers: Record<string, string> = {}) =>
    fetch(`${here.bob.node.url}/hooks/${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const refused = async (answer: Response) => [answer.status, (await json(answer)).code];
  const messages = async (): Promise<Loose[]> =>
    (await here.bob.get(`/api/channels/${here.channel.id}/messages`)).body.messages;

  it('posts as a bot of its own, at once for everyone, and answers each sender as it expects', async () => {
    const hook = await make();
    const ear = await here.bob.listen(here.channel.id);
    const slack = await post(hook.token, slackMessage);
    expect([slack.status, await slack.text(), slack.headers.get('content-type')]).to.deep.equal([
      ...[200, 'ok', 'text/plain; charset=utf-8'],
    ]);
    const heard = await ear.next('message:new');
    expect(heard.author).to.deep.include({ id: hook.userId, displayName: 'Robot of builds', isBot: true });
    expect(heard.author.username).to.match(/^hook-[0-9a-f]{12}$/);
    expect((await post(hook.token, discordMessage)).status).to.equal(204);
    const waited = await json(await post(`${hook.token}?wait=true`, discordMessage));
    expect(waited).to.include({ type: 0, channel_id: here.channel.id, webhook_id: hook.id });
    const ours = await json(await post(hook.token, { content: 'ours', nonce: 'n1', metadata: { build: 1 } }));
    expect(ours).to.deep.include({ ok: true, success: true, isHeld: false });
    expect(ours.messages[0]).to.deep.include({ content: 'ours', metadata: { build: 1 }, authorId: hook.userId });
    expect((await messages()).map(({ id }) => id).slice(0, 2)).to.deep.equal([ours.messages[0].id, waited.id]);
    expect(await json(await fetch(`${here.bob.node.url}/hooks/${hook.token}`))).to.include({ id: hook.id, type: 1 });
  });

  it('takes forms with JSON in them, whatever type they say', async () => {
    const { token } = await make();
    const form = `payload=${encodeURIComponent(JSON.stringify({ text: 'by a form' }))}`;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post(token, form, type)).status).to.equal(200);
    expect((await post(token, '{"text":"by curl"}', type)).status).to.equal(200);
    const parts = new FormData();
    parts.append('payload_json', JSON.stringify({ content: 'by parts' }));
    parts.append('files[0]', new Blob(['abc']), 'log.txt');
    const sent = await fetch(`${here.bob.node.url}/hooks/${token}`, { method: 'POST', body: parts });
    expect(sent.status).to.equal(204);
    const said = (await messages()).map(({ content }) => content);
    expect(said.slice(0, 3)).to.deep.equal(['by parts', 'by curl', 'by a form']);
  });

  it('posts what is longer than a message as several, in order', async () => {
    const { token } = await make();
    const text = Array.from({ length: 400 }, (_, i) => `${i} ${'x'.repeat(95)}`).join('\n');
    const { messages: sent } = await json(await post(`${token}/parley`, { content: text }));
    expect(sent).to.have.lengthOf(3);
    expect(sent.map(({ content }: Loose) => content).join('\n')).to.equal(text);
  });

  it('posts a delivery once, however often and wherever it comes', async () => {
    const { token } = await make();
    const headers = { 'x-github-event': 'push', 'x-github-delivery': '72d3162e' };
    const nodes = [here.alice.node.url, here.bob.node.url, here.alice.node.url];
    const sent = await Promise.all(
      nodes.map((url) => fetch(`${url}/hooks/${token}`, { method: 'POST', body: JSON.stringify(githubPush), headers })),
    );
    const answers = await Promise.all(sent.map(json));
    expect(new Set(answers.map(({ messages: [one] }) => one.id)).size).to.equal(1);
    const another = await post(token, githubPush, { ...headers, 'x-github-delivery': '9999' });
    expect((await json(another)).messages[0].id).not.to.equal(answers[0].messages[0].id);
    expect(await messages()).to.have.lengthOf(2);
  });

  it('with a secret takes only what is signed with it, in the way of each sender', async () => {
    const signingSecret = 'both know it';
    const { token, isSigned } = await make({ signingSecret });
    expect(isSigned).to.equal(true);
    const body = JSON.stringify({ text: 'signed' });
    const mac = (text: string) => createHmac('sha256', signingSecret).update(text).digest('hex');
    const now = Math.floor(Date.now() / 1000);
    const slack = (time: number) => ({
      'x-slack-request-timestamp': String(time),
      'x-slack-signature': `v0=${mac(`v0:${time}:${body}`)}`,
    });
    const good: Record<string, string>[] = [
      { 'x-hub-signature-256': `sha256=${mac(body)}` },
      { 'x-gitlab-token': signingSecret },
      slack(now),
      { 'x-grafana-alerting-signature': mac(body) },
    ];
    for (const headers of good)
      expect((await post(token, body, headers)).status, JSON.stringify(headers)).to.equal(200);
    const bad: Record<string, string>[] = [
      {},
      { 'x-hub-signature-256': `sha256=${mac(`${body} `)}` },
      { 'x-hub-signature-256': mac(body) },
      { 'x-gitlab-token': 'something else' },
      slack(now - 600),
      { 'x-slack-signature': `v0=${mac(`v0:${now}:${body}`)}` },
    ];
    for (const headers of bad) {
      const answer = await refused(await post(token, body, headers));
      expect(answer, JSON.stringify(headers)).to.deep.equal([401, 'HOOK_SIGNATURE_INVALID']);
    }
    expect(await messages()).to.have.lengthOf(good.length);
    const [row] = await query<{ secret: string }>(
      here.cluster.databaseUrl,
      'SELECT secret FROM hooks WHERE secret IS NOT NULL',
    );
    expect(row?.secret).not.to.contain(signingSecret);
  });

  it('is managed by those who manage the channel, by a session of theirs, and shows its address once', async () => {
    const hook = await make();
    expect(hook.url).to.match(new RegExp(`/hooks/${hook.token}$`));
    expect(code(await here.bob.get(hooks()))).to.deep.equal([403, 'ROLE_REQUIRED']);
    expect(code(await here.bob.post(hooks(), { name: 'Mine' }))).to.deep.equal([403, 'ROLE_REQUIRED']);
    expect(code(await here.carol.post(hooks(), { name: 'Mine' }))).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
    const robot = await botIn(here.server, here.alice);
    await here.alice.patch(`/api/servers/${here.server.id}/members/${robot.id}`, { role: 'admin' });
    expect(code(await robot.post(hooks(), { name: 'Mine' }))).to.deep.equal([403, 'FORBIDDEN']);
    robot.hangUp();
    const { body: list } = await here.alice.get(hooks());
    expect(list.map(({ id }: Loose) => id)).to.deep.equal([hook.id]);
    expect(JSON.stringify(list)).not.to.contain(hook.token);
    const path = `${hooks()}/${hook.id}`;
    const { body: renewed } = await here.alice.post(`${path}/token`);
    expect(await refused(await post(hook.token, { text: 'x' }))).to.deep.equal([404, 'HOOK_NOT_FOUND']);
    expect((await post(renewed.token, { text: 'x' })).status).to.equal(200);
    expect((await here.alice.patch(path, { name: 'Deploys' })).body.name).to.equal('Deploys');
    await post(renewed.token, { text: 'renamed' });
    const shown = (await messages()).map(({ author }) => author.displayName);
    expect(new Set(shown)).to.deep.equal(new Set(['Deploys']));
    expect((await here.alice.delete(path)).status).to.equal(200);
    expect(await refused(await post(renewed.token, { text: 'x' }))).to.deep.equal([404, 'HOOK_NOT_FOUND']);
    expect((await messages())[0].author.displayName).to.equal('Deploys');
  });

  it('is taken for nobody else', async () => {
    const { bob } = here;
    await bob.patch('/api/auth/me', { displayName: 'Bob Builder' });
    const spaced = [
      'BobBuilder',
      'Bob  Builder',
      'Bob\u00a0Builder',
      'Bob\u2800Builder',
      'ad min',
      [...bob.username].join(' '),
    ];
    const drawn = ['\u0392\u043eb \u0412u\u0456lder', '\u0412obBuild\u0435r'];
    const looks = ['Bob Builder', 'bob builder', bob.username, bob.username.toUpperCase(), 'admin', 'Everyone'];
    looks.push(...spaced, ...drawn);
    for (const name of looks) {
      const answer = await here.alice.post(hooks(), { name });
      expect([answer.status, answer.body.issues?.[0].path], name).to.deep.equal([400, 'name']);
    }
    const picture = await (await halves(64, 64)).png().toBuffer();
    const { url } = (await sendPicture(bob, picture, { shape: 'square' })).body;
    await bob.patch('/api/auth/me', { avatarUrl: url });
    for (const avatarUrl of [url, 'https://x.example/bob.png']) {
      const answer = await here.alice.post(hooks(), { name: 'Fine', avatarUrl });
      expect([answer.status, answer.body.issues?.[0].path]).to.deep.equal([400, 'avatarUrl']);
    }
    const { token, userId } = await make();
    await post(token, { text: 'I am Bob', username: 'Bob Builder', icon_url: url });
    const [said] = await messages();
    expect(said).to.deep.include({ authorId: userId, content: '**Bob Builder**\nI am Bob' });
    expect(said.author).to.include({ displayName: 'Robot of builds', avatarUrl: null, isBot: true });
  });

  it('is in no list, and nobody writes to it', async () => {
    const { userId, token } = await make();
    await post(token, { text: 'here' });
    const { body: members } = await here.alice.get(`/api/servers/${here.server.id}/members`);
    expect(members.map((one: Loose) => one.userId)).not.to.include(userId);
    expect(code(await here.bob.post('/api/dm/channels', { userId }))).to.deep.equal([403, 'FORBIDDEN']);
    expect((await here.bob.put(`/api/friends/blocks/${userId}`)).status).to.equal(200);
  });

  it('stays when its maker leaves', async () => {
    const { bob, server, alice } = here;
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'admin' });
    const { body } = await bob.post(hooks(), { name: 'Of nobody' });
    await bob.post(`/api/servers/${server.id}/leave`);
    expect((await post(body.token, { text: 'still here' })).status).to.equal(200);
    const { body: list } = await alice.get(hooks());
    expect(list[0]).to.deep.include({ createdBy: bob.id, name: 'Of nobody' });
    expect(list[0].lastUsedAt).to.be.a('string');
  });

  it('is judged by filters, and what is held is published as its own', async () => {
    const { alice, server } = here;
    const hook = await make();
    const add = (action: string, word: string) =>
      alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action, patterns: [word] });
    await add('refuse', 'casino');
    await add('hold', 'maybe');
    expect(await refused(await post(hook.token, { text: 'a casino' }))).to.deep.equal([400, 'MESSAGE_REFUSED']);
    const held = await post(`${hook.token}/parley`, { content: 'well, maybe' });
    expect(await json(held)).to.deep.include({ isHeld: true, messages: [] });
    const { body: queue } = await alice.get(`/api/servers/${server.id}/held`);
    expect(queue[0]).to.include({ authorId: hook.userId, content: 'well, maybe' });
    expect((await alice.post(`/api/held/${queue[0].heldId}/approve`)).status).to.equal(200);
    expect((await messages())[0]).to.include({ authorId: hook.userId, content: 'well, maybe' });
  });

  it('is reported, deleted, and barred by a ban', async () => {
    const { alice, bob, server } = here;
    const hook = await make();
    await post(hook.token, { text: 'spam' });
    const [{ id }] = await messages();
    expect((await bob.post('/api/reports', { kind: 'message', messageId: id, category: 'spam' })).status).to.equal(201);
    const { body: cases } = await alice.get(`/api/servers/${server.id}/reports`);
    const decided = await alice.post(`/api/reports/${cases[0].id}/decide`, { action: 'ban' });
    expect(decided.status, JSON.stringify(decided.body)).to.equal(200);
    expect(await refused(await post(hook.token, { text: 'more' }))).to.deep.equal([403, 'BANNED']);
    expect((await alice.delete(`/api/messages/${id}`)).status).to.equal(200);
    expect(await messages()).to.deep.equal([]);
  });

  it('is no part of a loop of bots, however many alternate', async () => {
    const tokens = [(await make()).token, (await make({ name: 'Second' })).token];
    for (let i = 0; i < 30; i++) expect((await post(tokens[i % 2] ?? '', { text: `${i}` })).status).to.equal(200);
  });

  it('names people but not everyone, and writes in threads of its channel alone', async () => {
    const { alice, bob, channel } = here;
    const { token } = await make();
    await post(token, { text: `@everyone @${bob.username}` });
    const [{ mentions }] = await messages();
    expect(mentions.map(({ kind, targetId }: Loose) => [kind, targetId])).to.deep.equal([['user', bob.id]]);
    const root = await alice.say(channel.id, 'root');
    const { body: thread } = await alice.post(`/api/messages/${root.id}/thread`);
    const sent = await post(`${token}?thread_id=${thread.id}&wait=true`, { content: 'in it' });
    expect(sent.status).to.equal(200);
    const { body: inThread } = await bob.get(`/api/threads/${thread.id}/messages`);
    expect(inThread[0].content).to.equal('in it');
    const other = await alice.say(await here.newChannel(), 'elsewhere');
    const { body: far } = await alice.post(`/api/messages/${other.id}/thread`);
    for (const id of [far.id, 'nonsense']) {
      const answer = await refused(await post(`${token}?thread_id=${id}`, { content: 'x' }));
      expect(answer).to.deep.equal([404, 'THREAD_NOT_FOUND']);
    }
  });

  it('refuses what is no post, and what it is not', async () => {
    const { token } = await make();
    expect(await refused(await post('hook_unknown', { text: 'x' }))).to.deep.equal([404, 'HOOK_NOT_FOUND']);
    expect(await refused(await post(`${token}/teams`, { text: 'x' }))).to.deep.equal([404, 'HOOK_NOT_FOUND']);
    for (const body of ['{', 'text']) {
      expect(await refused(await post(token, body))).to.deep.equal([400, 'MALFORMED_JSON']);
    }
    for (const body of ['[]', '7', '{}', '{"text":"  "}']) {
      expect(await refused(await post(token, body)), body).to.deep.equal([400, 'VALIDATION_FAILED']);
    }
    const long = await post(token, { text: 'x'.repeat(600_000) });
    expect(await refused(long)).to.deep.equal([413, 'BODY_TOO_LARGE']);
    const person = await register(here.bob.node);
    expect((await person.get(hooks())).status).to.equal(404);
    expect(await messages()).to.deep.equal([]);
  });
});
