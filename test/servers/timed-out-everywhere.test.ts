import { expect } from 'chai';
import type { Call } from '../../src/contract/call.ts';
import { allCalls, allClientEvents } from '../../src/contract/calls.ts';
import { paramFor, type Samples, sampleFor, samplesOf } from '../rest/samples.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { type Answer, type Loose, type Person, request } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

/** Groups of calls about a person, their agents, their direct messages and the installation, which no server's timeout concerns. */
const personal = new Set<string>([
  ...['Accounts', 'Sessions', 'Personal access tokens', 'Identity providers', 'Membership', 'Invite codes'],
  ...[
    'Friends',
    'Direct messages',
    'Notifications',
    'Models',
    'Model Context Protocol',
    'Webhooks',
    'Operators',
    'Later',
    'OAuth apps',
  ],
]);

/** What someone who is timed out may still do, and why. */
const allowed: Record<string, string> = {
  setSlashCommands: 'of an agent of their own, wherever it is',
  setUsageSnapshot: 'of an agent of their own, for its owner',
  createAgent: 'of their own',
  updateAgent: 'of their own',
  deleteAgent: 'of their own',
  createAgentToken: 'of their own',
  startAgent: 'of their own',
  stopAgent: 'of their own',
  streamReply: 'of bots alone, as `message:stream` is',
  sendHeartbeat: 'an agent that is alive says nothing in a server',
  replayAgent: 'their own agent gets again what it had',
  startRehearsal: 'of their own, and nobody gets what is sent in it',
  endRehearsal: 'of their own',
  setPolicies: 'what their own agent listens to: it is held with them',
  deletePolicy: 'the same',
  postToHook: 'a tool posts, not a person',
  postToHookAs: 'the same',
  editHookMessage: 'the same',
  deleteHookMessage: 'the same',
  editHookMessageAs: 'the same',
  deleteHookMessageAs: 'the same',
  uploadMedia: 'an upload is nobody else’s before it is sent',
  joinUploads: 'the same',
  forgetUpload: 'the same',
  changeAttachment: 'the same',
  uploadPicture: 'the same',
  linkOutsidePictures: 'reading',
  resolveMentions: 'reading',
  listFolders: 'reading',
  markChannelRead: 'read state',
  markThreadRead: 'read state',
  markAllThreadsRead: 'read state',
  markUnread: 'read state',
  setReceiptChoice: 'read state',
  setCustomStatus: 'their own status, everywhere',
  clearCustomStatus: 'the same',
  followThread: 'their own inbox',
  unfollowThread: 'the same',
  'thread:read': 'read state',
  'message:unread': 'read state',
  'thread:follow': 'their own inbox',
  'thread:unfollow': 'the same',
  requestToJoinServer: 'they are in it already',
  joinServer: 'they are in it already, and coming back ends no timeout',
  leaveServer: 'leaving',
  report: 'what happens to them stays heard',
  deleteServerInvite: 'ends a link of their own; meanwhile they see no others',
  withdrawHeld: 'takes back what nobody has seen',
  answerInteraction: 'of bots alone, which are held with their owners',
  'interaction:answer': 'the same',
  dismissEphemeral: 'their own list',
  createServer: 'another server',
  createInvites: 'codes for accounts, not for the server',
  deactivateInvite: 'the same',
  deleteInvite: 'the same',
  'agent:heartbeat': 'an agent that is alive says nothing in a server',
  'command:choices': 'of an agent: it suggests values to one person, who may use its commands',
  addFavorite: 'their own list',
  removeFavorite: 'the same',
  orderFavorites: 'the same',
  'channel:read': 'read state',
  'channel:join': 'reading',
  'channel:leave': 'reading',
  'presence:active': 'nobody is told',
  'presence:update': 'their own status, everywhere',
  'presence:subscribe': 'reading',
  'auth:renew': 'their own session',
  'thread:join': 'reading',
  'thread:leave': 'reading',
};

/** Bodies that the samples cannot fill. */
const bodies: Record<string, (samples: Samples) => object> = {
  createApp: () => ({ name: 'n', slug: 'timed-out', type: 'html', htmlContent: '<p>x</p>' }),
  publishApp: ({ ids }) => ({ name: 'n', slug: 'timed-out', folderId: ids.FOLDER_NOT_FOUND }),
  pasteNodes: ({ ids }) => ({ nodeIds: [ids.FILE_NOT_FOUND], targetParentId: null, mode: 'copy' }),
  runWorkspaceCommands: ({ ids }) => ({ commands: [{ type: 'rename', nodeId: ids.FILE_NOT_FOUND, name: 'other' }] }),
  orderChannels: ({ ids }) => ({ channelIds: [ids.CHANNEL_NOT_FOUND] }),
  timeOutMember: () => ({ seconds: 5 }),
  decideReport: () => ({ action: 'dismiss' }),
  sendMessage: () => ({ content: 'x' }),
  editMessage: () => ({ content: 'x' }),
  sendThreadMessage: () => ({ content: 'x' }),
  addFilters: () => ({ kind: 'word', action: 'flag', patterns: ['x'] }),
  decideServerJoinRequests: () => ({ status: 'approved', all: true }),
  removeRaidMembers: () => ({ all: true }),
  invokeCommand: ({ ids }) => ({ agentId: ids.AGENT_NOT_FOUND, command: 'x' }),
  completeCommand: ({ ids }) => ({ agentId: ids.AGENT_NOT_FOUND, command: 'x', option: 'x' }),
  createThread: ({ ids }) => ({ name: 'n', parentMessageId: ids.MESSAGE_NOT_FOUND }),
};

/** Every change over REST, and every event that clients send. */
const changes = Object.entries<Call>(allCalls).filter(([, { method, auth = 'required' }]) => {
  return auth === 'required' && method !== 'GET';
});
const refusedCalls = changes.filter(([name, { tag }]) => !personal.has(tag) && !(name in allowed));
const refusedEvents = Object.entries(allClientEvents).filter(([name]) => !(name in allowed));

describe('someone who is timed out', () => {
  let here: World;
  let samples: Samples;
  /** An admin, whom nothing else would keep from any of this. */
  let held: Person;
  let robot: Bot;

  before(async () => {
    here = await world();
    held = await register(here.bob.node);
    samples = await scene();
    const at = `/api/servers/${here.server.id}/members/${held.id}`;
    expect((await here.alice.patch(at, { role: 'admin' })).status).to.equal(200);
    expect((await here.alice.put(`${at}/timeout`, { seconds: 3600 })).status).to.equal(200);
  });
  after(() => {
    held.hangUp();
    robot.hangUp();
    here.close();
  });

  /** One of each thing in the server, made by others. */
  async function scene(): Promise<Samples> {
    const { alice, bob, carol, server, channel } = here;
    const { inviteCode } = (await alice.get(`/api/servers/${server.id}`)).body;
    await held.post('/api/servers/_/join', { inviteCode });
    robot = await botIn(server, held);
    const others = await botIn(server, bob);
    const parent = await alice.say(channel.id, 'parent');
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
    const page = { name: 'n', slug: 'page', type: 'html', htmlContent: '<p>x</p>' };
    const app = (await alice.post(`/api/servers/${server.id}/apps`, page)).body;
    const asked = (await carol.post(`/api/servers/${server.id}/join-requests`)).body;
    const link = (await bob.post(`/api/servers/${server.id}/invites`, {})).body;
    const messageId = (await bob.say(channel.id, 'spam')).id;
    await held.post('/api/reports', { kind: 'message', messageId, category: 'spam' });
    const [reported] = (await alice.get(`/api/servers/${server.id}/reports`)).body;
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action: 'hold', patterns: ['questionable'] });
    await bob.post(`/api/channels/${channel.id}/messages`, { content: 'questionable' });
    const [waiting] = (await alice.get(`/api/servers/${server.id}/held`)).body;
    const asking = await askedBy(others);
    const { ids, fields } = await samplesOf(here);
    const more = {
      MEMBER_NOT_FOUND: bob.id,
      BAN_NOT_FOUND: carol.id,
      THREAD_NOT_FOUND: thread.id,
      APP_NOT_FOUND: app.id,
      AGENT_NOT_FOUND: others.agentId,
      JOIN_REQUEST_NOT_FOUND: asked.requestId,
      SERVER_INVITE_NOT_FOUND: link.id,
      REPORT_NOT_FOUND: reported.id,
      HELD_NOT_FOUND: waiting.heldId,
      INTERACTION_NOT_FOUND: asking,
    };
    const values = { agentIds: () => [robot.agentId], activity: () => 'x', interactionId: () => asking };
    return { ids: { ...ids, ...more }, fields: { ...fields, ...values } };
  }

  /** A form that a bot has asked them to fill in. @returns the id of the interaction */
  async function askedBy(other: Bot): Promise<string> {
    const components = { items: [{ type: 'button', id: 'ask', label: 'Ask' }] };
    const offered = await other.say(here.channel.id, '', { components });
    const { body } = await held.post(`/api/messages/${offered.id}/uses`, { componentId: 'ask' });
    const form = { title: 'Why?', fields: [{ type: 'text', id: 'why', label: 'Why' }] };
    await other.post(`/api/interactions/${body.id}/answers`, { type: 'form', form });
    return body.id;
  }

  const ask = (name: string, call: Call): Promise<Answer> => {
    const fill = (param: string) => paramFor(param, call.params?.[param], samples);
    const path = call.path.replace(/[:*](\w+)/g, (_, param: string) => encodeURIComponent(fill(param)));
    const body = bodies[name]?.(samples) ?? (call.body && sampleFor(call.body, samples));
    return request(held.node, call.method, path, body, { authorization: `Bearer ${held.token}` });
  };

  for (const [name, call] of refusedCalls) {
    if (call.file) continue;
    it(`cannot ${name}`, async () => {
      const { status, body } = await ask(name, call);
      expect([status, body.code], JSON.stringify(body)).to.deep.equal([403, 'TIMED_OUT']);
      expect(body).to.include.keys('until', 'reason');
    });
  }

  it('cannot upload into the workspace', async () => {
    const uploads = refusedCalls.filter(([, { file }]) => file).map(([name]) => name);
    expect(uploads).to.deep.equal(['uploadFile', 'replaceFile']);
    for (const place of ['upload', `files/${samples.ids.FILE_NOT_FOUND}/upload`]) {
      const form = new FormData();
      form.append('file', new Blob(['x']), 'x.txt');
      const answer = await fetch(`${held.node.url}/api/servers/${here.server.id}/workspace/${place}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${held.token}` },
        body: form,
      });
      expect(await answer.json()).to.include({ code: 'TIMED_OUT' });
    }
  });

  it('cannot attach a file to what they wrote before', async () => {
    const { alice, bob, server, channel } = here;
    const mine = await bob.say(channel.id, 'mine');
    const at = `/api/servers/${server.id}/members/${bob.id}/timeout`;
    await alice.put(at, { seconds: 3600 });
    const refused = await bob.upload('x.txt', new Uint8Array([1]), { messageId: mine.id }).catch(String);
    expect(refused).to.contain('TIMED_OUT');
    await alice.delete(at);
  });

  for (const [event, { payload }] of refusedEvents) {
    it(`cannot send ${event}`, async () => {
      const who = event === 'message:stream' ? robot : held;
      const mouth = await who.connect();
      // A piece of a stream has no content of its own.
      const said = event === 'message:stream' ? {} : { content: 'x' };
      const data: Loose = { ...sampleFor(payload, samples), ...said };
      const ack = await mouth.emit(event, data);
      expect(ack, JSON.stringify(ack)).to.include({ ok: false, code: 'TIMED_OUT' });
      mouth.close();
    });
  }

  it('may report what they see', async () => {
    const { channel, bob } = here;
    const bad = await bob.say(channel.id, 'bad');
    const answer = await held.post('/api/reports', { kind: 'message', messageId: bad.id, category: 'spam' });
    expect(answer.status).to.equal(201);
  });

  it('may take back what they wrote, and leave', async () => {
    const { alice, bob, server, channel } = here;
    const mine = await bob.say(channel.id, 'mine');
    const thread = (await bob.post(`/api/messages/${mine.id}/thread`)).body;
    await alice.put(`/api/servers/${server.id}/members/${bob.id}/timeout`, { seconds: 3600 });
    expect((await bob.put(`/api/channels/${channel.id}/read`, { messageId: mine.id })).status).to.equal(200);
    expect((await bob.delete(`/api/threads/${thread.id}`)).status).to.equal(200);
    expect((await bob.delete(`/api/messages/${mine.id}`)).status).to.equal(200);
    expect((await bob.post(`/api/servers/${server.id}/leave`)).status).to.equal(200);
  });

  it('is kept from nothing that is not of a server by name', () => {
    const names = [...Object.keys(allCalls), ...Object.keys(allClientEvents)];
    expect(Object.keys(allowed).filter((name) => !names.includes(name))).to.deep.equal([]);
  });
});
