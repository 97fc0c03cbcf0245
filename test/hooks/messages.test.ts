// nodes: one and two

import { expect } from 'chai';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { githubIssue } from './samples.ts';

const json = async (answer: Response): Promise<Loose> => answer.json();
const refused = async (answer: Response) => [answer.status, (await json(answer)).code];

describe('the messages of an incoming webhook', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const make = async (more: object = {}): Promise<Loose> =>
    (await here.alice.post(`/api/channels/${here.channel.id}/hooks`, { name: 'Robot of builds', ...more })).body;
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${here.bob.node.url}/hooks/${path}`, { method: 'POST', body: JSON.stringify(body), headers });
  /** A request about a message of its own. */
  const about = (method: string, path: string, body: object = {}, headers: Record<string, string> = {}) => {
    const sent = method === 'PATCH' ? { body: JSON.stringify(body) } : {};
    return fetch(`${here.bob.node.url}/hooks/${path}`, { method, headers, ...sent });
  };
  const messages = async (): Promise<Loose[]> =>
    (await here.bob.get(`/api/channels/${here.channel.id}/messages`)).body.messages;

  it('are read, edited and deleted below the name of a format too', async () => {
    const { token } = await make();
    const sent = await json(await post(`${token}/discord?wait=true`, { content: 'first' }));
    const path = `${token}/discord/messages/${sent.id}`;
    expect(await json(await about('GET', path))).to.include({ id: sent.id, content: 'first' });
    expect(await json(await about('PATCH', path, { content: 'second' }))).to.include({ content: 'second' });
    const unknown = path.replace('discord', 'telegraph');
    expect(await refused(await about('GET', unknown))).to.deep.equal([404, 'HOOK_NOT_FOUND']);
    expect((await about('DELETE', path)).status).to.equal(204);
    expect(await refused(await about('GET', path))).to.deep.equal([404, 'MESSAGE_NOT_FOUND']);
  });

  it('mentions nobody where its sender says so, nor whom a tool names that has people of its own', async () => {
    const { alice, bob, server } = here;
    const { token } = await make();
    const named = async () => (await messages())[0].mentions.map(({ targetId }: Loose) => targetId);
    const content = `@${bob.username} well`;
    for (const [allowed, who] of [
      [{ parse: [] }, []],
      [{ parse: ['roles', 'everyone'], users: ['1'] }, []],
      [{ parse: ['users'] }, [bob.id]],
    ]) {
      await post(token, { content, allowed_mentions: allowed });
      expect(await named(), JSON.stringify(allowed)).to.deep.equal(who);
    }
    const issue = { ...githubIssue.issue, title: `Ask @${bob.username}` };
    await post(token, { ...githubIssue, issue }, { 'x-github-event': 'issues' });
    expect((await messages())[0].content).to.contain(`@${bob.username}`);
    expect(await named()).to.deep.equal([]);
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action: 'hold', patterns: ['maybe'] });
    const said = { content: `maybe ${content}`, allowed_mentions: { parse: [] } };
    await post(token, said);
    const approve = async () => {
      const { body: queue } = await alice.get(`/api/servers/${server.id}/held`);
      expect((await alice.post(`/api/held/${queue[0].heldId}/approve`)).status).to.equal(200);
    };
    await approve();
    expect((await messages())[0].content).to.equal(said.content);
    expect(await named()).to.deep.equal([]);
    const [{ id }] = await messages();
    const edit = { ...said, content: `maybe, ${content}` };
    expect((await about('PATCH', `${token}/messages/${id}`, edit)).status).to.equal(204);
    await approve();
    expect((await messages())[0].content).to.equal(edit.content);
    expect(await named()).to.deep.equal([]);
  });

  it('shows, edits and deletes what it has posted, and nothing else', async () => {
    const { alice, channel } = here;
    const { token, id: hookId } = await make();
    const { id } = await json(await post(`${token}?wait=true`, { content: 'It starts.' }));
    const path = `${token}/messages/${id}`;
    const edited = await about('PATCH', path, { content: 'It is **done**.', embeds: [{ title: 'All' }] });
    const content = 'It is **done**.\n> **All**';
    expect(edited.status).to.equal(200);
    expect(await json(edited)).to.deep.include({ id, content, webhook_id: hookId });
    const shown = await json(await about('GET', path));
    expect(shown).to.deep.include({ id, content, type: 0 });
    expect(shown.edited_timestamp).to.be.a('string');
    expect((await messages())[0]).to.include({ id, content, isEdited: true });
    expect((await json(await about('PATCH', path, { content: 'x'.repeat(20_000) }))).content).to.match(/ more$/);
    expect(await refused(await about('PATCH', path, { content: '' }))).to.deep.equal([400, 'VALIDATION_FAILED']);
    const another = await make({ name: 'Second', signingSecret: 'both know it' });
    const others = [`${another.token}/messages/${id}`, `${token}/messages/${(await alice.say(channel.id, 'hers')).id}`];
    const signed = { 'x-gitlab-token': 'both know it' };
    for (const other of others) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const answer = await refused(await about(method, other, { content: 'mine' }, signed));
        expect(answer, `${method} ${other}`).to.deep.equal([404, 'MESSAGE_NOT_FOUND']);
      }
    }
    expect(await refused(await about('DELETE', others[0] ?? ''))).to.deep.equal([401, 'HOOK_SIGNATURE_INVALID']);
    expect((await about('DELETE', path)).status).to.equal(204);
    expect(await refused(await about('GET', path))).to.deep.equal([404, 'MESSAGE_NOT_FOUND']);
    expect((await messages()).map((message) => message.content)).to.deep.equal(['hers']);
  });
});
