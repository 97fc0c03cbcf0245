import { halves, sendPicture } from '../pictures/samples.ts';
import { botIn } from '../world/bot.ts';
import type { Loose, Person } from '../world/person.ts';
import type { World } from '../world/world.ts';

/** Fills a server with something of each kind: what a person would miss if it did not come along. */
export async function furnish({ alice, bob, carol, server, channel }: World): Promise<void> {
  const at = `/api/servers/${server.id}`;
  await carol.post(`${at}/join`, { inviteCode: server.inviteCode });
  await alice.patch(at, { mark: '🌱', accentColor: '#1a2b3c' });
  const secret = (await alice.post(`${at}/channels`, { name: 'secret', isPrivate: true, topic: 'for us' })).body;
  await alice.post(`/api/channels/${secret.id}/members`, { userId: bob.id });
  const category = (await alice.post(`${at}/categories`, { name: 'Outside' })).body;
  const announced = { name: 'news', type: 'announcement', categoryId: category.id };
  const news = (await alice.post(`${at}/channels`, announced)).body;
  await alice.post(`/api/channels/${news.id}/archive`);
  await alice.patch(at, { keepMessagesDays: 3650, keepEditHistory: true });
  await alice.patch(`/api/channels/${secret.id}`, { keepMessagesDays: 0 });
  const bot = await botIn(server, alice);
  const options = [{ type: 'number', name: 'sides', min: 2, completes: true }];
  const commands = [
    { name: 'roll', description: 'dice' },
    { name: 'throw', options },
  ];
  await alice.put(`/api/agents/${bot.agentId}/slash-commands`, { commands });
  await alice.put(`${at}/agents/${bot.agentId}/commands/throw/rule`, { moderators: true, userIds: [bob.id] });
  await alice.put(`/api/channels/${channel.id}/agents/${bot.agentId}/policy`, { mode: 'mentionOnly' });
  await alice.put(`${at}/agents/${bot.agentId}/policy`, { mode: 'custom', config: { tone: 'dry' } });
  await alice.put(`${at}/agents/${bot.agentId}/rights`, { workspaceWrite: true });
  const helper = await botIn(server, bob);
  await alice.put(`${at}/agents/${helper.agentId}/keep`);
  await alice.patch(`${at}/members/${bob.id}`, { role: 'moderator' });
  await talk({ alice, bob, carol, bot }, channel.id, secret.id);
  await express({ alice, bob, carol }, at, channel.id);
  await fill(alice, bob, at);
  await bob.patch('/api/auth/me', { avatarUrl: '/avatars/of-this-site.png' });
  const lost = await botIn(server, bob);
  await lost.say(channel.id, 'said by a bot that is gone');
  await bob.delete(`/api/agents/${lost.agentId}`);
  // Someone who left is still the author of what they wrote.
  await carol.post(`${at}/leave`);
  await alice.post(`${at}/filters`, { kind: 'word', action: 'hold', patterns: ['Straße*', 'x y'] });
  await alice.post(`${at}/filters`, { kind: 'link', action: 'allow', patterns: ['example.com'] });
  await alice.patch(at, { holdNewMemberLinksHours: 24 });
  // What waits for a moderator stays behind.
  await bob.patch(`/api/messages/${(await bob.say(secret.id, 'fine')).id}`, { content: 'https://new.org' });
  const until = new Date(Date.now() + 86_400_000).toISOString();
  await alice.post(`${at}/bans`, { userId: carol.id, reason: 'spam', until });
  await alice.put(`${at}/members/${helper.id}/timeout`, { seconds: 86_400, reason: 'beeps' });
  await alice.patch(`/api/channels/${secret.id}`, { slowModeSeconds: 30 });
  await alice.post(`/api/channels/${secret.id}/messages`, { content: 'the last word' });
}

async function talk(
  { alice, bob, carol, bot }: Record<'alice' | 'bob' | 'carol' | 'bot', Person>,
  channelId: string,
  secretId: string,
): Promise<void> {
  const first = await alice.say(channelId, `Hello @${bob.username}, <b>übrigens</b> 👋🏽\nline`, {
    metadata: { deep: { a: [1] } },
  });
  const reply = await bob.say(channelId, 'a reply', { replyToId: first.id, nonce: 'n-1' });
  await bob.post(`/api/channels/${channelId}/messages`, { content: 'by a key' }, { 'idempotency-key': 'furnished' });
  const gone = await carol.say(channelId, 'will be deleted');
  await carol.say(channelId, 'answers what goes', { replyToId: gone.id });
  await bot.say(channelId, 'beep');
  await carol.delete(`/api/messages/${gone.id}`);
  await bob.patch(`/api/messages/${reply.id}`, { content: 'an edited reply' });
  for (const who of [bob, carol, alice]) await who.post(`/api/messages/${first.id}/reactions`, { emoji: '🎉' });
  await bob.post(`/api/messages/${first.id}/reactions`, { emoji: ':shrug:' });
  await alice.put(`/api/channels/${channelId}/pins/${first.id}`);
  const thread = (await bob.post(`/api/channels/${channelId}/threads`, { name: 'aside', parentMessageId: first.id }))
    .body;
  for (const text of ['one', 'two']) await bob.post(`/api/threads/${thread.id}/messages`, { content: text });
  // Its name is how the message begins.
  const lines = await bob.say(channelId, 'two\nlines\tand a tab');
  const named = (await bob.post(`/api/messages/${lines.id}/thread`)).body;
  await alice.post(`/api/threads/${named.id}/messages`, { content: 'x'.repeat(16_000) });
  const doomed = (await bob.post(`/api/messages/${reply.id}/thread`)).body;
  await bob.post(`/api/threads/${doomed.id}/messages`, { content: 'of a deleted thread' });
  await bob.delete(`/api/threads/${doomed.id}`);
  const bytes = new TextEncoder().encode('bytes of the attachment');
  const picture = await bob.upload('a "picture".txt', bytes, { isSpoiler: 'true' });
  await bob.say(channelId, '', { attachments: [{ id: picture.id }] });
  for (let i = 0; i < 60; i++) await alice.say(secretId, `secret ${i}`);
  await bob.put(`/api/channels/${channelId}/read`, { messageId: reply.id });
  await alice.put(`/api/threads/${thread.id}/follow`, {});
}

async function express(
  { alice, bob, carol }: Record<'alice' | 'bob' | 'carol', Person>,
  at: string,
  channelId: string,
): Promise<void> {
  const picture = Uint8Array.from(await (await halves(60, 40)).png().toBuffer());
  const { url } = (await sendPicture(alice, picture, { shape: 'emoji' })).body;
  await alice.post(`${at}/emoji`, { name: 'party', url });
  const open = await alice.say(channelId, 'see', {
    poll: { question: 'Lunch?', options: ['Soup', 'Bread'], multiple: true },
  });
  const secret = await bob.say(channelId, '', { poll: { question: 'Who?', options: ['You', 'I'], anonymous: true } });
  await bob.post(`/api/messages/${open.id}/reactions`, { emoji: ':party:' });
  for (const { id } of [open, secret]) {
    for (const [who, optionIds] of [
      [bob, [1]],
      [carol, [2]],
    ] as const)
      await who.put(`/api/messages/${id}/poll/vote`, { optionIds });
  }
  await bob.put(`/api/messages/${open.id}/poll/vote`, { optionIds: [1, 2] });
  await bob.post(`/api/messages/${secret.id}/poll/close`);
}

async function fill(alice: Person, bob: Person, at: string): Promise<void> {
  const docs = (await alice.post(`${at}/workspace/folders`, { name: 'docs', parentId: null })).body;
  const inner = (await bob.post(`${at}/workspace/folders`, { name: 'inner', parentId: docs.id })).body;
  const readMe = { name: 'read me.md', content: '# Hello', parentId: inner.id };
  const { id } = (await bob.post(`${at}/workspace/files`, readMe)).body;
  await alice.patch(`${at}/workspace/files/${id}`, { content: '# Hello, all' });
  await bob.post(`${at}/workspace/files`, { name: 'empty.txt', content: '', parentId: null });
  await alice.post(`${at}/apps`, {
    name: 'Clock',
    slug: 'clock',
    type: 'html',
    htmlContent: '<p>tick</p>',
    isHomepage: true,
  });
}

/** What someone sees of a server at all addresses that show something of it, by address. */
export async function lists(who: Person, serverId: string): Promise<Record<string, Loose>> {
  const seen: Record<string, Loose> = {};
  const see = async (address: string): Promise<Loose> => {
    const { status, body } = await who.get(address);
    if (status !== 200) throw new Error(`${address}: ${JSON.stringify(body)}`);
    seen[address] = body;
    return body;
  };
  const at = `/api/servers/${serverId}`;
  for (const list of [
    '',
    '/members',
    '/categories',
    '/channels/archived',
    '/apps',
    '/apps/clock',
    '/apps/homepage',
    '/join-requests',
    '/bans',
    '/filters',
    '/emoji',
  ])
    await see(`${at}${list}`);
  for (const list of ['', '/tree', '/stats', '/files/search?query=e']) await see(`${at}/workspace${list}`);
  for (const list of ['/api/servers', '/api/agents', '/api/search/messages?query=secret']) await see(list);
  await see(`${at}/apps/clock/serve/`);
  for (const { id, userId } of await see('/api/agents')) {
    for (const list of ['', '/config', '/policies', '/slash-commands']) await see(`/api/agents/${id}${list}`);
    await see(`${at}/agents/${id}/commands`);
    await see(`/api/auth/users/${userId}`);
  }
  for (const { id } of await see(`${at}/channels`)) await seeChannel(see, id);
  for (const file of files(seen[`${at}/workspace/tree`])) {
    await see(`${at}/workspace/files/${file}/download`);
    for (const { version } of await see(`${at}/workspace/files/${file}/versions`))
      await see(`${at}/workspace/files/${file}?version=${version}`);
  }
  await see(`${at}/workspace/search?query=hello`);
  return seen;
}

async function seeChannel(see: (address: string) => Promise<Loose>, id: string): Promise<void> {
  const lists = ['', '/members', '/pins', '/slash-commands', '/access', '/threads/unread'];
  for (const list of lists) await see(`/api/channels/${id}${list}`);
  for (const thread of await see(`/api/channels/${id}/threads`)) {
    await see(`/api/threads/${thread.id}`);
    await see(`/api/threads/${thread.id}/state`);
    await see(`/api/threads/${thread.id}/messages`);
  }
  for (let cursor = ''; ; ) {
    const page = await see(`/api/channels/${id}/messages?include=threads&limit=25${cursor}`);
    for (const message of page.messages) {
      if (message.isEdited) await see(`/api/messages/${message.id}/history`);
      if (message.poll?.anonymous === false) await see(`/api/messages/${message.id}/poll/options/2/voters`);
      if (message.reactions.length > 0) await see(`/api/messages/${message.id}/reactions`);
      for (const attachment of message.attachments) await see(`/api/media/${attachment.id}`);
    }
    if (!page.hasMore) break;
    cursor = `&cursor=${page.messages.at(-1).id}`;
  }
}

/** The ids of the files of a tree. */
function files(nodes: Loose): string[] {
  const list: Loose[] = Array.isArray(nodes) ? nodes : (nodes?.tree ?? nodes?.nodes ?? nodes?.children ?? []);
  return list.flatMap((node) => (node.kind === 'file' ? [node.id] : files(node.children ?? [])));
}
