// nodes: one and two

import { expect } from 'chai';
import { type McpTool, mcpTools } from '../../src/contract/mcp-tools.ts';
import { scopes } from '../../src/contract/scopes.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { Assistant } from './assistant.ts';

describe('the tools of the Model Context Protocol', () => {
  let here: World;
  const open: Assistant[] = [];

  const assistant = async (person: Pick<Person, 'token'>): Promise<Assistant> => {
    const made = await Assistant.connect({ token: person.token, nodes: here.cluster.nodes });
    open.push(made);
    return made;
  };
  const tokenOf = async (person: Person, scope: string): Promise<{ token: string }> =>
    (await person.post('/api/tokens', { name: 'assistant', scope })).body;

  before(async () => {
    here = await world();
  });
  after(async () => {
    await Promise.all(open.map((each) => each.close()));
    here.close();
  });

  it('are calls that take nothing but records, under names that fit together', () => {
    const { routes } = here.alice.node.endpoints;
    for (const [name, tool] of Object.entries<McpTool>(mcpTools)) {
      const { call, names = {} } = tool;
      const route = routes.find(({ method, path }) => method === call.method && path === call.path);
      expect(route, name).to.not.equal(undefined);
      expect([route?.confirmed, route?.file, route?.produces], name).to.deep.equal([undefined, undefined, undefined]);
      expect(name).to.match(/^[a-z_]{1,64}$/);
      expect(Object.keys(call.params ?? {}), name).to.include.members(Object.keys(names));
    }
  });

  it('have schemas of objects, in which no two fields share a name', async () => {
    const alice = await assistant(here.alice);
    const { tools } = await alice.client.listTools();
    expect(tools.map(({ name }) => name)).to.have.members(Object.keys(mcpTools));
    for (const { name, inputSchema, description } of tools) {
      expect(inputSchema.type, name).to.equal('object');
      expect(inputSchema.required ?? [], name).to.deep.equal([...new Set(inputSchema.required ?? [])]);
      expect(Object.keys(inputSchema.properties ?? {}), name).to.include.members(inputSchema.required ?? []);
      expect(description, name).to.be.a('string').and.not.empty;
    }
    const send = tools.find(({ name }) => name === 'send_message');
    expect(send?.inputSchema.required).to.deep.equal(['channelId']);
    expect(send?.inputSchema.properties).to.include.keys('channelId', 'content', 'replyToId', 'threadId', 'nonce');
    expect(send?.annotations).to.include({ readOnlyHint: false, destructiveHint: false });
    expect(tools.find(({ name }) => name === 'read_messages')?.annotations?.readOnlyHint).to.equal(true);
  });

  it('read, send, search, react and open threads as REST does', async () => {
    const { alice, bob, server, channel } = here;
    const tool = await assistant(alice);
    expect((await tool.use('get_me')).id).to.equal(alice.id);
    expect((await tool.use('list_servers')).items.map(({ id }: Loose) => id)).to.include(server.id);
    const listed = await tool.use('list_channels', { serverId: server.id });
    expect(listed.items).to.deep.equal((await alice.get(`/api/servers/${server.id}/channels`)).body);
    const word = `w${crypto.randomUUID().slice(0, 8)}`;
    const sent = await tool.use('send_message', { channelId: channel.id, content: `Hello ${word}`, nonce: word });
    expect((await bob.get(`/api/messages/${sent.id}`)).body).to.include({
      content: `Hello ${word}`,
      authorId: alice.id,
    });
    const again = await tool.use('send_message', { channelId: channel.id, content: `Hello ${word}`, nonce: word });
    expect(again.id).to.equal(sent.id);
    const read = await tool.use('read_messages', { channelId: channel.id, limit: 1 });
    expect(read.messages[0].id).to.equal(sent.id);
    const found = await until(async () => {
      const { items, hasMore } = await tool.use('search_messages', { query: word });
      return items.length > 0 && { items, hasMore };
    });
    expect([found.items[0].id, found.hasMore]).to.deep.equal([sent.id, false]);
    const reacted = await tool.use('add_reaction', { messageId: sent.id, emoji: '👍' });
    expect(reacted.reactions[0].users).to.deep.equal([alice.id]);
    expect((await tool.use('remove_reaction', { messageId: sent.id, emoji: '👍' })).reactions).to.deep.equal([]);
    const thread = await tool.use('open_thread', { messageId: sent.id, name: 'More' });
    const reply = await tool.use('reply_in_thread', { threadId: thread.id, content: 'here' });
    expect((await tool.use('read_thread', { threadId: thread.id })).items[0].id).to.equal(reply.id);
    expect((await tool.use('edit_message', { messageId: reply.id, content: 'there' })).content).to.equal('there');
    expect((await tool.use('delete_message', { messageId: reply.id })).ok).to.equal(true);
    const { items, hasMore } = await tool.use('list_threads', { channelId: channel.id });
    expect([items[0].id, hasMore]).to.deep.equal([thread.id, false]);
  });

  it('say the same in structured content and in text', async () => {
    const tool = await assistant(here.alice);
    const result: Loose = await tool.client.callTool({ name: 'list_servers', arguments: {} });
    expect(result.isError).to.not.equal(true);
    expect(result.content).to.have.lengthOf(1);
    expect(JSON.parse(result.content[0].text)).to.deep.equal(result.structuredContent);
  });

  it('work with files of servers', async () => {
    const tool = await assistant(here.alice);
    const serverId = here.server.id;
    const made = await tool.use('create_file', { serverId, name: 'notes.md', content: '# One' });
    expect((await tool.use('list_files', { serverId })).items.map(({ id }: Loose) => id)).to.include(made.id);
    expect((await tool.use('find_files', { serverId, query: 'notes' })).items[0].id).to.equal(made.id);
    await tool.use('update_file', { serverId, fileId: made.id, content: '# Two' });
    expect((await tool.use('read_file', { serverId, fileId: made.id })).content).to.equal('# Two');
  });

  it('are for what the user may, and say what REST would', async () => {
    const { carol, channel } = here;
    const stranger = await assistant(carol);
    const refused: Loose = await stranger.client.callTool({
      name: 'send_message',
      arguments: { channelId: channel.id, content: 'in?' },
    });
    const { body } = await carol.post(`/api/channels/${channel.id}/messages`, { content: 'in?' });
    expect(refused.isError).to.equal(true);
    expect(refused.structuredContent).to.deep.include({ ok: false, code: body.code, error: body.error });
    const invalid = await stranger.use('send_message', { channelId: 'x', content: '' });
    expect(invalid.code).to.equal('CHANNEL_NOT_FOUND');
    const wrong = await (await assistant(here.alice)).use('send_message', { channelId: channel.id, content: 7 });
    expect([wrong.code, wrong.issues[0].path]).to.deep.equal(['VALIDATION_FAILED', 'content']);
  });

  it('are those that the scopes of a token allow; others are refused', async () => {
    const { alice, channel, server } = here;
    const reader = await assistant(await tokenOf(alice, 'messages:read'));
    const names = await reader.toolNames();
    expect(names).to.include.members(['read_messages', 'search_messages', 'list_threads']);
    for (const name of ['send_message', 'add_reaction', 'list_channels', 'list_files', 'get_me']) {
      expect(names).to.not.include(name);
    }
    const refused = await reader.use('send_message', { channelId: channel.id, content: 'no' });
    expect(refused.code).to.equal('INSUFFICIENT_PAT_SCOPE');
    expect((await reader.use('list_channels', { serverId: server.id })).code).to.equal('INSUFFICIENT_PAT_SCOPE');
    const writer = await assistant(await tokenOf(alice, 'messages:write servers:read'));
    const sent = await writer.use('send_message', { channelId: channel.id, content: 'by an assistant' });
    expect(sent.authorId).to.equal(alice.id);
    // As over REST, tokens show no invite codes.
    const { items } = await writer.use('list_servers');
    expect(items.every((each: object) => !('inviteCode' in each))).to.equal(true);
    for (const scope of scopes) await (await assistant(await tokenOf(alice, scope))).toolNames();
  });

  it('are used by bots with their tokens', async () => {
    const { alice, server, channel } = here;
    const bot = await botIn(server, alice);
    const tool = await assistant(bot);
    const sent = await tool.use('send_message', { channelId: channel.id, content: 'beep' });
    expect(sent.author).to.include({ id: bot.id, isBot: true });
    expect((await tool.use('create_file', { serverId: server.id, name: 'no.md' })).code).to.equal('FORBIDDEN');
  });

  it('that do not exist are an error of the protocol', async () => {
    const tool = await assistant(here.alice);
    for (const name of ['nothing', 'constructor', '__proto__']) {
      const failed = await tool.client.callTool({ name, arguments: {} }).then(
        () => undefined,
        (error: Loose) => error,
      );
      expect(failed?.code, name).to.equal(-32_602);
    }
  });

  it('count against the limits of their calls', async () => {
    const rates = { messages: { points: 2, seconds: 60 }, search: { points: 1, seconds: 60 } };
    const cluster: Cluster = await startCluster({ nodes: 1, settings: { rateLimits: true, rates } });
    try {
      const there = await world(cluster);
      const tool = await Assistant.connect({ token: there.alice.token, nodes: cluster.nodes });
      const send = () => tool.use('send_message', { channelId: there.channel.id, content: 'again' });
      expect([(await send()).code, (await send()).code, (await send()).code]).to.deep.equal([
        undefined,
        undefined,
        'RATE_LIMITED',
      ]);
      expect((await send()).retryAfter).to.be.greaterThan(0);
      await tool.use('search_messages', { query: 'again' });
      expect((await tool.use('search_messages', { query: 'again' })).code).to.equal('RATE_LIMITED');
      // What has no limit of its own goes on.
      expect((await tool.use('list_servers')).items).to.have.lengthOf(1);
      await tool.close();
      there.close();
    } finally {
      await cluster.stop();
    }
  });
});
