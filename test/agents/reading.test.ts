import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Listener, Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** What a bot reads is what it is pushed. On several nodes the bots talk to another node than their owner. */
describe('what a policy keeps from a bot', () => {
  let here: World;
  const bots: Bot[] = [];
  before(async () => {
    here = await world();
  });
  after(() => {
    for (const robot of bots) robot.hangUp();
    here.close();
  });

  async function robot(policy: object): Promise<Bot> {
    const made = (await botIn(here.server, here.alice)).on(here.bob.node);
    bots.push(made);
    await here.alice.put(`/api/channels/${here.channel.id}/agents/${made.agentId}/policy`, policy);
    return made;
  }
  const contents = (messages: Loose[]) => messages.map(({ content }) => content).filter((text) => text !== undefined);
  const heard = (ear: Listener) => contents(ear.all('message:new'));

  it('is kept from it at every door: pages, search, log, recovery, threads, pins and single messages', async () => {
    const { alice, bob, channel } = here;
    const made = await robot({ mode: 'mentionOnly' });
    const ear = await made.listen(channel.id);
    const word = `zebra${made.agentId.slice(-8)}`;
    const secret = await bob.say(channel.id, `${word} secret`);
    const own = await made.say(channel.id, `${word} own`, { replyToId: secret.id });
    expect(own.replyTo.content).to.equal('');
    const mention = await bob.say(channel.id, `${word} @${made.username} hello`);
    const reply = await bob.say(channel.id, `${word} reply`, { replyToId: own.id });
    const hidden = (await bob.post(`/api/messages/${secret.id}/thread`, { name: 'hidden' })).body;
    const shown = (await bob.post(`/api/messages/${own.id}/thread`, { name: 'shown' })).body;
    await bob.say(channel.id, `${word} in hidden`, { threadId: hidden.id });
    await bob.say(channel.id, `${word} in shown`, { threadId: shown.id });
    for (const id of [secret.id, mention.id]) await alice.put(`/api/channels/${channel.id}/pins/${id}`);
    await ear.next('message:new', ({ content }) => content === `${word} in shown`);

    const pushed = [`${word} @${made.username} hello`, `${word} reply`, `${word} in shown`];
    expect(heard(ear)).to.deep.equal(pushed);
    const read = async (path: string) => (await made.get(path)).body;
    const page = (await read(`/api/channels/${channel.id}/messages?limit=10`)).messages;
    expect(contents(page)).to.deep.equal([`${word} reply`, `${word} @${made.username} hello`, `${word} own`]);
    expect(page[2].replyTo.content).to.equal('');
    const all = (await read(`/api/channels/${channel.id}/messages?include=threads&after=${secret.seq - 1}`)).messages;
    expect(contents(all)).to.deep.equal([`${word} own`, ...pushed]);
    const around = await read(`/api/channels/${channel.id}/messages/around/${mention.id}`);
    expect(JSON.stringify(around)).to.not.contain('secret');
    // The index follows a moment later.
    const found = await until(async () => {
      const all = contents(await read(`/api/search/messages?query=${word}`));
      return all.length > pushed.length && all;
    });
    expect(found).to.have.members([`${word} own`, ...pushed]);
    const log = await read(`/api/channels/${channel.id}/events?after=${secret.seq - 1}`);
    expect(
      contents(log.events.filter(({ event }: Loose) => event === 'message:new').map(({ data }: Loose) => data)),
    ).to.deep.equal(pushed);
    expect(contents(await read(`/api/channels/${channel.id}/pins`))).to.deep.equal([`${word} @${made.username} hello`]);
    expect((await read(`/api/channels/${channel.id}/threads`)).map(({ id }: Loose) => id)).to.deep.equal([shown.id]);
    expect((await read(`/api/threads/${hidden.id}`)).code).to.equal('THREAD_NOT_FOUND');
    expect(contents(await read(`/api/threads/${hidden.id}/messages`))).to.deep.equal([]);
    expect(contents(await read(`/api/threads/${shown.id}/messages`))).to.deep.equal([`${word} in shown`]);
    for (const path of ['', '/reactions']) {
      expect((await read(`/api/messages/${secret.id}${path}`)).code).to.equal('MESSAGE_NOT_FOUND');
      expect((await made.get(`/api/messages/${reply.id}${path}`)).status).to.equal(200);
    }
    expect((await read(`/api/messages/${own.id}`)).replyTo.content).to.equal('');
    await made.patch(`/api/messages/${own.id}`, { content: `${word} edited` });
    const edited = await ear.next('message:updated', ({ id }) => id === own.id);
    expect(edited).to.deep.include({ content: `${word} edited`, replyTo: { ...own.replyTo, content: '' } });
    await alice.put(`/api/channels/${channel.id}/pins/${own.id}`);
    for (const path of [`/api/channels/${channel.id}/pins`, `/api/search/messages?query=${word}`]) {
      expect(JSON.stringify(await read(path))).to.not.contain('secret');
    }
    const joined = await (await made.connect()).emit('channel:join', { channelId: channel.id, after: secret.seq - 1 });
    expect(JSON.stringify(joined)).to.not.contain('secret');
  });

  it('a command that names it reaches it, whatever its policy but `disabled`, and nothing else', async () => {
    const { bob, channel } = here;
    const ears: [string, Listener, Bot][] = [];
    for (const [name, policy] of [
      ['deaf', { mode: 'custom', listen: false }],
      ['selective', { mode: 'mentionOnly' }],
      ['off', { mode: 'disabled', listen: false }],
    ] as const) {
      const made = await robot(policy);
      const commands = [{ name: 'deploy', aliases: [`go-${name}`] }];
      await here.alice.put(`/api/agents/${made.agentId}/slash-commands`, { commands });
      ears.push([name, await made.listen(channel.id), made]);
    }
    const [deaf, selective, off] = ears;
    if (!deaf || !selective || !off) throw new Error('there are three');
    const polled = deaf[2].get(
      `/api/channels/${channel.id}/events?after=${(await bob.say(channel.id, 'before')).seq}&wait=20`,
    );
    const both = await bob.say(channel.id, '/deploy now');
    expect((await polled).body.events.map(({ data }: Loose) => data.content)).to.deep.equal(['/deploy now']);
    const one = await bob.say(channel.id, `/DEPLOY@${deaf[2].username} later`);
    await bob.say(channel.id, '/go-selective');
    await bob.say(channel.id, '/go-off');
    await bob.say(channel.id, '/deployment is no command of theirs');
    await bob.say(channel.id, 'nor is /deploy in a text');
    await bob.patch(`/api/messages/${both.id}`, { content: 'taken back' });
    // What is told after a deletion has no text any more.
    await deaf[1].next('message:new', ({ id }) => id === one.id);
    await bob.delete(`/api/messages/${one.id}`);
    await deaf[1].next('message:deleted', ({ id }) => id === one.id);
    expect(heard(deaf[1])).to.deep.equal(['/deploy now', one.content]);
    expect(contents(deaf[1].all('message:updated'))).to.deep.equal(['taken back']);
    await selective[1].next('message:new', ({ content }) => content === '/go-selective');
    expect(heard(selective[1])).to.deep.equal(['/deploy now', '/go-selective']);
    expect(heard(off[1])).to.deep.equal([]);
    expect((await deaf[2].get(`/api/messages/${both.id}`)).status).to.equal(200);
    expect((await off[2].get(`/api/messages/${both.id}`)).body.code).to.equal('FORBIDDEN');
    expect((await deaf[2].get(`/api/channels/${channel.id}/messages`)).body.code).to.equal('FORBIDDEN');
  });

  it('a bot that is disabled or deaf everywhere in a server sees neither members nor files', async () => {
    const { alice, server, channel } = here;
    const workspace = `/api/servers/${server.id}/workspace`;
    const paths = [`/api/servers/${server.id}/members`, `/api/channels/${channel.id}/members`, `${workspace}/tree`];
    for (const policy of [{ mode: 'disabled' }, { mode: 'custom', listen: false }]) {
      const made = await robot({ mode: 'replyAll' });
      const statuses = async () => (await Promise.all(paths.map((path) => made.get(path)))).map(({ status }) => status);
      expect(await statuses()).to.deep.equal([200, 200, 200]);
      await alice.put(`/api/channels/${channel.id}/agents/${made.agentId}/policy`, policy);
      expect(await statuses()).to.deep.equal([403, 403, 403]);
      const ear = await made.connect();
      const mouth = await alice.connect();
      await alice.post(`${workspace}/folders`, { name: `folder of ${made.agentId}`, parentId: null });
      await mouth.next('workspace:changed', ({ nodes }) => nodes[0]?.name === `folder of ${made.agentId}`);
      expect(ear.all('workspace:changed')).to.deep.equal([]);
      const quiet = await here.newChannel('quiet');
      await alice.post(`/api/channels/${quiet}/members`, { userId: made.id });
      expect(await statuses()).to.deep.equal([200, 200, 200]);
    }
  });

  it('a bot writes in the workspace only where admins let it', async () => {
    const { alice, bob, server } = here;
    const made = await robot({ mode: 'replyAll' });
    const files = `/api/servers/${server.id}/workspace/files`;
    const write = (name: string) => made.post(files, { name, content: 'text', parentId: null });
    const rights = `/api/servers/${server.id}/agents/${made.agentId}/rights`;
    expect((await write('one.txt')).body.code).to.equal('FORBIDDEN');
    expect((await bob.put(rights, { workspaceWrite: true })).body.code).to.equal('ROLE_REQUIRED');
    expect((await alice.put(rights, { workspaceWrite: true })).body.agent).to.include({ workspaceWrite: true });
    expect((await write('two.txt')).status).to.equal(201);
    await alice.put(rights, { workspaceWrite: false });
    expect((await write('three.txt')).body.code).to.equal('FORBIDDEN');
    expect((await made.get(`/api/servers/${server.id}/workspace/tree`)).status).to.equal(200);
  });
});
