import { expect } from 'chai';
import type { AuditAction } from '../../src/contract/audit-action.ts';
import { auditActions } from '../../src/contract/audit-catalogue.ts';
import type { CallSpec } from '../../src/contract/call.ts';
import { allCalls } from '../../src/contract/calls.ts';
import { operatorCalls } from '../../src/contract/operator.ts';
import { operatorTaskCalls } from '../../src/contract/operator-tasks.ts';
import { halves, sendPicture } from '../pictures/samples.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const calls: [string, CallSpec][] = Object.entries(allCalls);
const actionsOf = ({ audit }: CallSpec): readonly AuditAction[] => (audit && !('none' in audit) ? audit : []);
const audited = calls.filter(([, call]) => actionsOf(call).length > 0);

interface Entry {
  action: string;
  target?: Loose;
  channelId?: string;
  before?: Loose | null;
  after?: Loose | null;
  reason?: string;
}

/** Does what the call does and returns the answer, with the entry that it must write. */
type Act = (here: World) => Promise<[Answer, Entry, by?: Person]>;

const user = ({ id }: { id: string }) => ({ kind: 'user', id });
const server = ({ server: { id } }: World) => `/api/servers/${id}`;
const say = async (who: Person, { channel }: World) => (await who.say(channel.id, 'words')).id;
const member = (here: World, who = here.bob) => `${server(here)}/members/${who.id}`;

async function thread(here: World): Promise<string> {
  const parentMessageId = await say(here.bob, here);
  return (await here.bob.post(`/api/channels/${here.channel.id}/threads`, { name: 'mine', parentMessageId })).body.id;
}

async function asked(path: string, who: Person): Promise<string> {
  return (await who.post(`${path}/join-requests`)).body.requestId;
}

async function privateChannel(here: World): Promise<string> {
  return (await here.alice.post(`${server(here)}/channels`, { name: 'hidden', isPrivate: true })).body.id;
}

const category = async (here: World, name = 'Work'): Promise<string> =>
  (await here.alice.post(`${server(here)}/categories`, { name })).body.id;

async function app(here: World): Promise<string> {
  const made = { name: 'Page', slug: 'page', htmlContent: '<p>one</p>' };
  return (await here.alice.post(`${server(here)}/apps`, made)).body.id;
}

const pin = (path: (id: string, here: World) => string, method: 'put' | 'post' | 'delete'): Act => {
  return async (here) => {
    const id = await say(here.bob, here);
    const isPinned = method !== 'delete';
    if (!isPinned) await here.alice.post(`/api/messages/${id}/pin`);
    const action = isPinned ? 'message.pin' : 'message.unpin';
    const entry = { action, target: { kind: 'message', id }, channelId: here.channel.id };
    return [await here.alice[method](path(id, here)), entry];
  };
};
const inChannel = (id: string, here: World) => `/api/channels/${here.channel.id}/pins/${id}`;
const ofMessage = (id: string) => `/api/messages/${id}/pin`;

const archive =
  (verb: 'archive' | 'unarchive'): Act =>
  async (here) => {
    const { id } = here.channel;
    if (verb === 'unarchive') await here.alice.post(`/api/channels/${id}/archive`);
    const entry = { action: `channel.${verb}`, target: { kind: 'channel', id, label: 'general' }, channelId: id };
    return [await here.alice.post(`/api/channels/${id}/${verb}`), entry];
  };

const seat =
  (action: string, act: (here: World, path: string) => Promise<Answer>, values: Partial<Entry> = {}): Act =>
  async (here) => {
    const bot = await botIn(here.server, here.bob);
    const path = `${server(here)}/agents/${bot.agentId}`;
    if (action === 'bot.release') await here.alice.put(`${path}/keep`);
    return [await act(here, path), { action, target: user(bot), ...values }];
  };

/** A bot of bob's with a command, and the path of the rule about that. */
async function commanded(here: World): Promise<[bot: Bot, path: string]> {
  const bot = await botIn(here.server, here.bob);
  await here.bob.put(`/api/agents/${bot.agentId}/slash-commands`, { commands: [{ name: 'ban' }] });
  return [bot, `${server(here)}/agents/${bot.agentId}/commands/ban/rule`];
}

const role = ({ id, name }: Loose) => ({ kind: 'role', id, label: name });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

async function newRole(here: World, name: string): Promise<Loose> {
  return (await here.alice.post(`${server(here)}/roles`, { name })).body;
}

async function filtered(here: World, action: string): Promise<Loose[]> {
  return (await here.alice.post(`${server(here)}/filters`, { kind: 'word', action, patterns: ['casino'] })).body;
}

/** A message of bob's that carol has reported, and the case of it. */
async function reported(here: World): Promise<[message: string, caseId: string]> {
  await here.carol.post(`${server(here)}/join`, { inviteCode: here.server.inviteCode });
  const messageId = await say(here.bob, here);
  await here.carol.post('/api/reports', { kind: 'message', messageId, category: 'spam' });
  const [found] = (await here.alice.get(`${server(here)}/reports`)).body;
  return [messageId, found.id];
}

const override =
  (path: string | ((here: World) => string), target: (here: World) => Loose, isSet: boolean): Act =>
  async (here) => {
    const channelId = here.channel.id;
    const at = `/api/channels/${channelId}/overrides/${typeof path === 'string' ? path : path(here)}`;
    const set = await here.alice.put(at, { allow: [], deny: ['react'] });
    const [none, denied] = [{ deny: [] }, { deny: ['react'] }];
    const values = isSet ? { before: none, after: denied } : { before: denied, after: none };
    const answer = isSet ? set : await here.alice.delete(at);
    return [answer, { action: 'channel.override', target: target(here), channelId, ...values }];
  };

const decideHeld =
  (verb: 'approve' | 'reject'): Act =>
  async (here) => {
    await filtered(here, 'hold');
    await here.bob.post(`/api/channels/${here.channel.id}/messages`, { content: 'a casino' });
    const [held] = (await here.alice.get(`${server(here)}/held`)).body;
    const target = { kind: 'held-message', id: held.heldId };
    const entry = { action: `held-message.${verb}`, target, before: { authorId: here.bob.id } };
    return [await here.alice.post(`/api/held/${held.heldId}/${verb}`), { ...entry, channelId: here.channel.id }];
  };

const hooks = ({ channel }: World) => `/api/channels/${channel.id}/hooks`;
const hook = (here: World) =>
  here.alice.post(hooks(here), { name: 'Builds', format: 'github', signingSecret: 'a secret of both' });
const hookEntry = ({ channel }: World, id: string) => ({
  target: { kind: 'hook', id, label: 'Builds' },
  channelId: channel.id,
});

async function addEmoji(here: World): Promise<Answer> {
  const bytes = Uint8Array.from(await (await halves(60, 40)).png().toBuffer());
  const { url } = (await sendPicture(here.alice, bytes, { shape: 'emoji' })).body;
  return here.alice.post(`${server(here)}/emoji`, { name: 'party', url });
}

/** Each audited call, done once. */
const acts: Record<string, Act> = {
  updateServer: async (here) => [
    await here.alice.patch(server(here), { name: 'House', description: 'x'.repeat(1024) }),
    {
      action: 'server.update',
      target: { kind: 'server', id: here.server.id, label: 'House' },
      before: { name: 'Home', description: null },
      after: { name: 'House', description: `${'x'.repeat(999)}…` },
    },
  ],
  deleteServer: async (here) => [
    await here.alice.delete(server(here)),
    {
      action: 'server.delete',
      target: { kind: 'server', id: here.server.id, label: 'Home' },
      before: { name: 'Home', slug: here.server.slug },
    },
  ],
  regenerateServerInvite: async (here) => [
    await here.alice.post(`${server(here)}/invite/regenerate`),
    { action: 'server.renew-invite', before: null, after: null },
  ],
  setServerMemberRole: async (here) => [
    await here.alice.patch(member(here), { role: 'moderator' }),
    { action: 'member.role', target: user(here.bob), before: { role: 'member' }, after: { role: 'moderator' } },
  ],
  kickServerMember: async (here) => [
    await here.alice.delete(member(here)),
    { action: 'member.kick', target: user(here.bob) },
  ],
  acceptHandover: async (here) => {
    const offer = await here.alice.post('/api/handovers', { userId: here.bob.id, serverId: here.server.id });
    const owners = { before: { ownerId: here.alice.id }, after: { ownerId: here.bob.id } };
    const answer = await here.bob.post(`/api/handovers/${offer.body.id}/accept`);
    return [answer, { action: 'server.hand-over', target: user(here.bob), ...owners }, here.bob];
  },
  banUser: async (here) => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const answer = await here.alice.post(`${server(here)}/bans`, { userId: here.bob.id, reason: 'spam', until });
    return [answer, { action: 'member.ban', target: user(here.bob), after: { until }, reason: 'spam' }];
  },
  liftBan: async (here) => {
    await here.alice.post(`${server(here)}/bans`, { userId: here.bob.id });
    const answer = await here.alice.delete(`${server(here)}/bans/${here.bob.id}`);
    return [answer, { action: 'member.unban', target: user(here.bob) }];
  },
  keepBot: seat('bot.keep', (here, path) => here.alice.put(`${path}/keep`)),
  releaseBot: seat('bot.release', (here, path) => here.alice.delete(`${path}/keep`)),
  setBotRights: seat('bot.rights', (here, path) => here.alice.put(`${path}/rights`, { workspaceWrite: true }), {
    before: { workspaceWrite: false },
    after: { workspaceWrite: true },
  }),
  setServerPolicy: seat('bot.policy', (here, path) => here.alice.put(`${path}/policy`, { mode: 'mentionOnly' }), {
    before: null,
    after: { mode: 'mentionOnly', mentionOnly: true, reply: true, listen: true, isConfigChanged: false },
  }),
  setCommandRule: async (here) => {
    const [bot, path] = await commanded(here);
    const answer = await here.alice.put(path, { moderators: true, userIds: [here.bob.id] });
    const after = { command: 'ban', moderators: true, roleIds: [], userIds: [here.bob.id] };
    return [answer, { action: 'bot.commands', target: user(bot), before: null, after }];
  },
  deleteCommandRule: async (here) => {
    const [bot, path] = await commanded(here);
    await here.alice.put(path);
    const answer = await here.alice.delete(path);
    const before = { command: 'ban', moderators: false, roleIds: [], userIds: [] };
    return [answer, { action: 'bot.commands', target: user(bot), before, after: null }];
  },
  setChannelPolicy: async (here) => {
    const bot = await botIn(here.server, here.bob);
    const path = `/api/channels/${here.channel.id}/agents/${bot.agentId}/policy`;
    await here.alice.put(path, { mode: 'mentionOnly', config: { secret: 'one' } });
    const answer = await here.alice.put(path, { config: { secret: 'two' } });
    const values = { before: { isConfigChanged: false }, after: { isConfigChanged: true } };
    return [answer, { action: 'bot.policy', target: user(bot), channelId: here.channel.id, ...values }];
  },
  createChannel: async (here) => {
    const answer = await here.alice.post(`${server(here)}/channels`, { name: 'new' });
    const { id } = answer.body;
    const after = { name: 'new', type: 'text', description: null, isPrivate: false };
    return [answer, { action: 'channel.create', target: { kind: 'channel', id, label: 'new' }, channelId: id, after }];
  },
  turnGroup: async (here) => {
    const { alice, bob, carol } = here;
    await carol.post(`${server(here)}/join`, { inviteCode: here.server.inviteCode });
    const { id } = (await alice.post('/api/dm/channels', { userIds: [bob.id, carol.id] })).body;
    const body = { serverId: here.server.id, name: 'plans' };
    const answer = await alice.post(`/api/dm/channels/${id}/channel`, body);
    const after = { name: 'plans', type: 'text', description: null, isPrivate: true };
    return [
      answer,
      { action: 'channel.create', target: { kind: 'channel', id, label: 'plans' }, channelId: id, after },
    ];
  },
  updateChannel: async (here) => {
    const { id } = here.channel;
    const values = { before: { name: 'general' }, after: { name: 'lobby' } };
    const answer = await here.alice.patch(`/api/channels/${id}`, { name: 'lobby' });
    return [answer, { action: 'channel.update', target: { kind: 'channel', id, label: 'lobby' }, ...values }];
  },
  deleteChannel: async (here) => {
    const { id } = here.channel;
    const before = { name: 'general', type: 'text', description: null, isPrivate: false };
    const entry = { action: 'channel.delete', target: { kind: 'channel', id, label: 'general' }, before };
    return [await here.alice.delete(`/api/channels/${id}`), entry];
  },
  archiveChannel: archive('archive'),
  unarchiveChannel: archive('unarchive'),
  orderChannels: async (here) => {
    const id = await here.newChannel();
    const answer = await here.alice.patch(`${server(here)}/channels/positions`, { channelIds: [id] });
    const values = { before: { order: ['general', 'another'] }, after: { order: ['another', 'general'] } };
    return [answer, { action: 'channel.order', ...values }];
  },
  createCategory: async (here) => {
    const answer = await here.alice.post(`${server(here)}/categories`, { name: 'Work' });
    const target = { kind: 'category', id: answer.body.id, label: 'Work' };
    return [answer, { action: 'category.create', target, after: { name: 'Work' } }];
  },
  updateCategory: async (here) => {
    const id = await category(here);
    const answer = await here.alice.patch(`${server(here)}/categories/${id}`, { name: 'Play' });
    const values = { before: { name: 'Work' }, after: { name: 'Play' } };
    return [answer, { action: 'category.update', target: { kind: 'category', id, label: 'Play' }, ...values }];
  },
  deleteCategory: async (here) => {
    const id = await category(here);
    const entry = { target: { kind: 'category', id, label: 'Work' }, before: { name: 'Work' } };
    return [await here.alice.delete(`${server(here)}/categories/${id}`), { action: 'category.delete', ...entry }];
  },
  orderCategories: async (here) => {
    await category(here);
    const id = await category(here, 'Play');
    const answer = await here.alice.patch(`${server(here)}/categories/positions`, { categoryIds: [id] });
    const values = { before: { order: ['Work', 'Play'] }, after: { order: ['Play', 'Work'] } };
    return [answer, { action: 'category.order', ...values }];
  },
  addChannelMember: async (here) => {
    const channelId = await privateChannel(here);
    const answer = await here.alice.post(`/api/channels/${channelId}/members`, { userId: here.bob.id });
    return [answer, { action: 'channel-member.add', target: user(here.bob), channelId }];
  },
  removeChannelMember: async (here) => {
    const channelId = here.channel.id;
    const answer = await here.alice.delete(`/api/channels/${channelId}/members/${here.bob.id}`);
    return [answer, { action: 'channel-member.remove', target: user(here.bob), channelId }];
  },
  decideServerJoinRequest: async (here) => {
    const id = await asked(server(here), here.carol);
    const answer = await here.alice.patch(`/api/servers/join-requests/${id}`, { status: 'approved' });
    return [answer, { action: 'join-request.approve', target: user(here.carol) }];
  },
  decideChannelJoinRequest: async (here) => {
    const channelId = await privateChannel(here);
    const id = await asked(`/api/channels/${channelId}`, here.bob);
    const answer = await here.alice.patch(`/api/channel-join-requests/${id}`, { status: 'rejected' });
    return [answer, { action: 'join-request.reject', target: user(here.bob), channelId }];
  },
  pinInChannel: pin(inChannel, 'put'),
  unpinInChannel: pin(inChannel, 'delete'),
  pinMessage: pin(ofMessage, 'post'),
  unpinMessage: pin(ofMessage, 'delete'),
  deleteMessage: async (here) => {
    const id = await say(here.bob, here);
    const entry = { action: 'message.delete', target: { kind: 'message', id }, before: { authorId: here.bob.id } };
    return [await here.alice.delete(`/api/messages/${id}`), entry];
  },
  removePreviews: async (here) => {
    const { id } = await here.bob.say(here.channel.id, 'https://example.com/');
    const target = { kind: 'message', id };
    const entry = { action: 'message.previews-remove', target, before: { authorId: here.bob.id } };
    return [await here.alice.delete(`/api/messages/${id}/previews`), entry];
  },
  updateThread: async (here) => {
    const id = await thread(here);
    const values = { before: { name: 'mine' }, after: { name: 'theirs' } };
    const answer = await here.alice.patch(`/api/threads/${id}`, { name: 'theirs' });
    return [answer, { action: 'thread.update', target: { kind: 'thread', id }, ...values }];
  },
  deleteThread: async (here) => {
    const id = await thread(here);
    const before = { creatorId: here.bob.id, messageCount: 0 };
    return [
      await here.alice.delete(`/api/threads/${id}`),
      { action: 'thread.delete', target: { kind: 'thread', id }, before },
    ];
  },
  createRole: async (here) => {
    const answer = await here.alice.post(`${server(here)}/roles`, { name: 'Helpers', permissions: ['member:timeout'] });
    const after = { name: 'Helpers', color: null, permissions: ['member:timeout'] };
    return [answer, { action: 'role.create', target: role(answer.body), after }];
  },
  updateRole: async (here) => {
    const made = await newRole(here, 'Helpers');
    const answer = await here.alice.patch(`${server(here)}/roles/${made.id}`, { name: 'Guides' });
    const values = { before: { name: 'Helpers' }, after: { name: 'Guides' } };
    return [answer, { action: 'role.update', target: role(answer.body), ...values }];
  },
  deleteRole: async (here) => {
    const made = await newRole(here, 'Helpers');
    const before = { name: 'Helpers', color: null, permissions: [] };
    const answer = await here.alice.delete(`${server(here)}/roles/${made.id}`);
    return [answer, { action: 'role.delete', target: role(made), before }];
  },
  orderRoles: async (here) => {
    const [low, high] = [await newRole(here, 'second'), await newRole(here, 'first')];
    const answer = await here.alice.patch(`${server(here)}/roles/positions`, { roleIds: [high.id, low.id] });
    const values = { before: { order: ['second', 'first'] }, after: { order: ['first', 'second'] } };
    return [answer, { action: 'role.order', ...values }];
  },
  assignRole: async (here) => {
    const { id, name } = await newRole(here, 'Helpers');
    const answer = await here.alice.put(`${member(here)}/roles/${id}`);
    return [answer, { action: 'member.role-add', target: user(here.bob), after: { role: name, roleId: id } }];
  },
  unassignRole: async (here) => {
    const { id, name } = await newRole(here, 'Helpers');
    await here.alice.put(`${member(here)}/roles/${id}`);
    const answer = await here.alice.delete(`${member(here)}/roles/${id}`);
    return [answer, { action: 'member.role-remove', target: user(here.bob), before: { role: name, roleId: id } }];
  },
  setChannelRoleOverride: override('roles/moderator', () => ({ kind: 'role', id: null, label: 'moderator' }), true),
  deleteChannelRoleOverride: override('roles/moderator', () => ({ kind: 'role', id: null, label: 'moderator' }), false),
  setChannelUserOverride: override(
    (here) => `users/${here.bob.id}`,
    (here) => user(here.bob),
    true,
  ),
  deleteChannelUserOverride: override(
    (here) => `users/${here.bob.id}`,
    (here) => user(here.bob),
    false,
  ),
  timeOutMember: async (here) => {
    const answer = await here.alice.put(`${member(here)}/timeout`, { seconds: 600, reason: 'calm down' });
    const after = { until: answer.body.timedOutUntil };
    return [answer, { action: 'member.timeout', target: user(here.bob), after, reason: 'calm down' }];
  },
  endTimeout: async (here) => {
    await here.alice.put(`${member(here)}/timeout`, { seconds: 600 });
    return [
      await here.alice.delete(`${member(here)}/timeout`),
      { action: 'member.timeout-end', target: user(here.bob) },
    ];
  },
  deleteMemberMessages: async (here) => {
    const answer = await here.alice.post(`${member(here)}/messages/delete`, { hours: 3 });
    return [answer, { action: 'member.delete-messages', target: user(here.bob), after: { hours: 3 } }];
  },
  addFilters: async (here) => {
    const added = { kind: 'word', action: 'hold', patterns: ['casino', 'free money'] };
    return [await here.alice.post(`${server(here)}/filters`, added), { action: 'filter.add', after: added }];
  },
  removeFilter: async (here) => {
    const [filter] = await filtered(here, 'hold');
    const target = { kind: 'filter', id: filter.id, label: 'casino' };
    const answer = await here.alice.delete(`${server(here)}/filters/${filter.id}`);
    return [answer, { action: 'filter.remove', target, before: { kind: 'word', action: 'hold' } }];
  },
  approveHeld: decideHeld('approve'),
  rejectHeld: decideHeld('reject'),
  closePoll: async (here) => {
    const poll = { question: 'Where?', options: ['Here', 'There'] };
    const { id } = await here.bob.say(here.channel.id, '', { poll });
    const entry = { action: 'poll.close', target: { kind: 'message', id }, before: { authorId: here.bob.id } };
    return [await here.alice.post(`/api/messages/${id}/poll/close`), { ...entry, channelId: here.channel.id }];
  },
  addEmoji: async (here) => {
    const answer = await addEmoji(here);
    const target = { kind: 'emoji', id: answer.body.id, label: 'party' };
    return [answer, { action: 'emoji.add', target, after: { name: 'party' } }];
  },
  removeEmoji: async (here) => {
    const { id } = (await addEmoji(here)).body;
    const target = { kind: 'emoji', id, label: 'party' };
    const answer = await here.alice.delete(`${server(here)}/emoji/${id}`);
    return [answer, { action: 'emoji.remove', target, before: { name: 'party' } }];
  },
  createHook: async (here) => {
    const answer = await hook(here);
    const after = { name: 'Builds', format: 'github', isSigned: true };
    return [answer, { action: 'hook.create', ...hookEntry(here, answer.body.id), after }];
  },
  updateHook: async (here) => {
    const { id } = (await hook(here)).body;
    const answer = await here.alice.patch(`${hooks(here)}/${id}`, { format: 'auto', signingSecret: null });
    const before = { format: 'github', isSigned: true };
    return [
      answer,
      { action: 'hook.update', ...hookEntry(here, id), before, after: { format: 'auto', isSigned: false } },
    ];
  },
  renewHook: async (here) => {
    const { id } = (await hook(here)).body;
    return [await here.alice.post(`${hooks(here)}/${id}/token`), { action: 'hook.renew', ...hookEntry(here, id) }];
  },
  deleteHook: async (here) => {
    const { id } = (await hook(here)).body;
    const before = { name: 'Builds', format: 'github', isSigned: true };
    return [await here.alice.delete(`${hooks(here)}/${id}`), { action: 'hook.delete', ...hookEntry(here, id), before }];
  },
  decideServerJoinRequests: async (here) => {
    const requestId = await asked(server(here), here.carol);
    const decision = { status: 'rejected', requestIds: [requestId] };
    const answer = await here.alice.post(`${server(here)}/join-requests/decide`, decision);
    return [answer, { action: 'join-request.reject', target: user(here.carol) }];
  },
  decideReport: async (here) => {
    const [id, caseId] = await reported(here);
    const decision = { action: 'timeout', reason: 'spam', until: inAnHour() };
    const answer = await here.alice.post(`/api/reports/${caseId}/decide`, decision);
    expect(id).to.be.a('string');
    const after = { action: 'timeout', kind: 'message' };
    const target = { kind: 'report', id: caseId };
    return [answer, { action: 'report.decide', target, channelId: here.channel.id, after, reason: 'spam' }];
  },
  escalateReport: async (here) => {
    const [, caseId] = await reported(here);
    const answer = await here.alice.post(`/api/reports/${caseId}/escalate`);
    return [answer, { action: 'report.escalate', target: { kind: 'report', id: caseId }, after: { kind: 'message' } }];
  },
  createServerInvite: async (here) => {
    const answer = await here.alice.post(`${server(here)}/invites`, { maxUses: 3, channelId: here.channel.id });
    const after = { maxUses: 3, channelId: here.channel.id, expiresAt: null };
    return [answer, { action: 'invite.create', target: { kind: 'invite', id: answer.body.id }, after }];
  },
  deleteServerInvite: async (here) => {
    const { id } = (await here.bob.post(`${server(here)}/invites`, {})).body;
    const before = { createdBy: here.bob.id };
    const answer = await here.alice.delete(`${server(here)}/invites/${id}`);
    return [answer, { action: 'invite.delete', target: { kind: 'invite', id }, before }];
  },
  switchServerRaid: async (here) => [
    await here.alice.post(`${server(here)}/raid`, { on: true }),
    { action: 'raid.update', before: { mode: 'off', isOn: false }, after: { mode: 'on', isOn: true } },
  ],
  removeRaidMembers: async (here) => [
    await here.alice.post(`${server(here)}/raid/remove`, { userIds: [here.bob.id] }),
    { action: 'member.kick', target: user(here.bob) },
  ],
  createApp: async (here) => {
    const answer = await here.alice.post(`${server(here)}/apps`, { name: 'Page', htmlContent: '<p>one</p>' });
    return [answer, { action: 'app.create', target: { kind: 'app', id: answer.body.id, label: 'Page' } }];
  },
  updateApp: async (here) => {
    const id = await app(here);
    const values = { before: { name: 'Page' }, after: { name: 'Sheet' } };
    const answer = await here.alice.patch(`${server(here)}/apps/${id}`, { name: 'Sheet' });
    return [answer, { action: 'app.update', target: { kind: 'app', id, label: 'Sheet' }, ...values }];
  },
  publishApp: async (here) => {
    const id = await app(here);
    const page = { name: 'page.html', content: '<p>two</p>', parentId: null };
    const { body } = await here.alice.post(`${server(here)}/workspace/files`, page);
    const answer = await here.alice.post(`${server(here)}/apps/publish`, { slug: 'page', fileId: body.id });
    return [
      answer,
      { action: 'app.update', target: { kind: 'app', id }, before: { version: 1 }, after: { version: 2 } },
    ];
  },
  deleteApp: async (here) => {
    const id = await app(here);
    const entry = { action: 'app.delete', target: { kind: 'app', id, label: 'Page' } };
    return [await here.alice.delete(`${server(here)}/apps/${id}`), entry];
  },
};

/** Tried in reports/operators.test.ts and operators/, which have operators. */
const operated = Object.keys({ ...operatorCalls, ...operatorTaskCalls }).filter((name) =>
  audited.some(([one]) => one === name),
);

/** Undone after they were done, by the same action. */
const twice = new Set([
  ...['setChannelPolicy', 'deleteChannelRoleOverride', 'deleteChannelUserOverride', 'deleteCommandRule'],
]);

describe('the audit log', () => {
  it('is decided about for each call that changes something by a permission', () => {
    const bound = calls.filter(([, { method, errors }]) => method !== 'GET' && errors?.includes('ROLE_REQUIRED'));
    expect(bound.filter(([, { audit }]) => audit === undefined).map(([name]) => name)).to.deep.equal([]);
    const unexplained = calls.filter(([, { audit }]) => audit && 'none' in audit && audit.none.length < 20);
    expect(unexplained.map(([name]) => name)).to.deep.equal([]);
  });

  it('knows every action that a call names, once, and none has a secret', () => {
    const names = auditActions.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    const unknown = audited
      .flatMap(([, call]) => actionsOf(call))
      .filter((one) => !auditActions.some((a) => a === one));
    expect(unknown).to.deep.equal([]);
    const fields = auditActions.flatMap(({ fields }): readonly string[] => fields);
    expect(fields.filter((field) => /code|token|secret|hash|password|email|username|displayName/i.test(field))).to.be
      .empty;
  });

  it('is tried for every call that writes it', () => {
    const done = [...Object.keys(acts), ...operated].sort();
    expect(done).to.deep.equal(audited.map(([name]) => name).sort());
  });

  const written = async ({ cluster, server }: World) => {
    const columns = `action, actor_id, token_kind, token_id, channel_id, before, after, reason, source,
      target_kind AS kind, target_id AS id, target_label AS label`;
    return query<Loose>(
      cluster.databaseUrl,
      `SELECT ${columns} FROM audit_entries WHERE server_id = $1 ORDER BY audit_entries.id`,
      [server.id],
    );
  };

  for (const [name, act] of Object.entries(acts)) {
    it(`has exactly one entry of ${name}, with who, with what, before and after`, async () => {
      const here = await world();
      const [answer, expected, by = here.alice] = await act(here);
      expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 299);
      const entries = await written(here);
      const last = entries.at(-1);
      const call = calls.find(([one]) => one === name)?.[1];
      expect(actionsOf(call ?? allCalls.getServer).map((one) => one.name)).to.include(expected.action);
      expect(last).to.include({ action: expected.action, actor_id: by.id, token_kind: 'session', source: 'user' });
      expect(last?.token_id).to.be.a('string');
      expect(last?.reason).to.equal(expected.reason ?? null);
      const { target, channelId, before, after } = expected;
      if (target) expect(last).to.include(target);
      if (channelId) expect(last?.channel_id).to.equal(channelId);
      if (before !== undefined) expect(last?.before).to.deep.equal(before);
      if (after !== undefined) expect(last?.after).to.deep.equal(after);
      // What led up to it has entries of its own, and this one is there once.
      const same = entries.filter((entry) => entry.action === expected.action && entry.id === last?.id);
      expect(same.length).to.equal(twice.has(name) ? 2 : 1);
      here.close();
    });
  }

  it('has no entry of what was refused, of what changes nothing, and of what members do to their own', async () => {
    const here = await world();
    const dave = await register(here.bob.node);
    await here.bob.delete(member(here, here.alice));
    await here.bob.patch(server(here), { name: 'Mine' });
    await here.alice.patch(server(here), { name: 'Home' });
    await here.alice.patch(member(here), { role: 'member' });
    const id = await thread(here);
    await here.bob.patch(`/api/threads/${id}`, { name: 'ours' });
    await here.bob.delete(`/api/threads/${id}`);
    await here.bob.delete(`/api/messages/${await say(here.bob, here)}`);
    await here.bob.post(`${server(here)}/leave`);
    expect(await written(here)).to.deep.equal([]);
    dave.hangUp();
    here.close();
  });
});
