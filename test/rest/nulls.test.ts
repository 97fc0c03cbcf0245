// nodes: own

import { expect } from 'chai';
import { botIn } from '../world/bot.ts';
import { request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** Clients in many languages send all the fields that they know. */
describe('what may be left out of a request', () => {
  let here: World;

  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('may be null at registration, which says the same', async () => {
    const body = { password: 'correct horse', username: null, displayName: null, inviteCode: null };
    const email = `null-${Date.now()}@example.com`;
    const answer = await request(here.alice.node, 'POST', '/api/auth/register', { ...body, email });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    expect(answer.body.user).to.include({ email });
    expect(answer.body.user.displayName).to.equal(answer.body.user.username);
  });

  it('may be null where something is made or done, and the default holds', async () => {
    const { alice, server, channel } = here;
    const base = `/api/servers/${server.id}`;
    const made = async (path: string, body: object) => {
      const answer = await alice.post(path, body);
      expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201]);
      return answer.body;
    };
    expect(await made('/api/servers', { name: 'Nulls', isPublic: null })).to.include({ isPublic: false });
    const fields = { type: null, isPrivate: null };
    expect(await made(`${base}/channels`, { name: 'n', ...fields })).to.include({ type: 'text', isPrivate: false });
    expect(await made('/api/tokens', { name: 'n', scope: null })).to.include({ scope: 'user:read' });
    const file = await made(`${base}/workspace/files`, { name: 'n.txt', content: null });
    expect((await made(`${base}/workspace/nodes/paste`, { nodeIds: [file.id], mode: null })).nodes).to.have.lengthOf(1);
    const page = { name: 'n', htmlContent: 'n', type: null, status: null, isHomepage: null };
    expect(await made(`${base}/apps`, page)).to.include({ type: 'html', status: 'active', isHomepage: false });
    const read = await alice.put(`/api/channels/${channel.id}/read`, { messageId: null, seq: 0 });
    expect(read.status, JSON.stringify(read.body)).to.equal(200);
    expect((await alice.put(`/api/channels/${channel.id}/read`, { messageId: null, seq: null })).status).to.equal(400);
  });

  it('may not be null where it says what someone may do', async () => {
    const { alice, server, channel } = here;
    const { agentId } = await botIn(server, alice);
    const places = [
      [`/api/agents/${agentId}/policies`, { channelId: channel.id }],
      [`/api/channels/${channel.id}/agents/${agentId}/policy`, {}],
      [`/api/servers/${server.id}/agents/${agentId}/policy`, {}],
    ] as const;
    for (const [path, where] of places) {
      for (const field of ['mode', 'mentionOnly', 'reply', 'listen', 'config']) {
        const answer = await alice.put(path, { ...where, mode: 'mentionOnly', [field]: null });
        expect(answer.status, `${field} ${path}`).to.equal(400);
        expect(answer.body.code, `${field} ${path}`).to.equal('VALIDATION_FAILED');
      }
    }
    const setBy = await alice.put(places[1][0], { mode: 'mentionOnly', setBy: null });
    expect(setBy.status).to.equal(400);
    expect((await alice.get(places[1][0])).body).to.include({ mode: 'replyAll' });
    for (const field of ['allow', 'deny']) {
      const answer = await alice.put(`/api/channels/${channel.id}/overrides/roles/member`, { [field]: null });
      expect(answer.status, field).to.equal(400);
    }
  });

  it('may be null inside of lists and beside its other spelling', async () => {
    const { alice, server, channel } = here;
    const robot = await botIn(server, alice);
    const base = `/api/servers/${server.id}`;
    const named = await alice.post('/api/agents', { name: null, username: `n-${Date.now()}` });
    expect(named.status, JSON.stringify(named.body)).to.equal(201);
    expect((await alice.post('/api/agents', { name: null, username: null })).status).to.equal(400);
    const commands = [{ name: 'weather', description: null, aliases: null, options: null }];
    const said = await alice.put(`/api/agents/${robot.agentId}/slash-commands`, { commands });
    expect(said.body.commands).to.deep.equal([{ name: 'weather', description: '', aliases: [], options: null }]);
    const file = (await alice.post(`${base}/workspace/files`, { name: 'r.txt' })).body;
    const rename = { type: 'rename', action: null, nodeId: null, folderId: null, fileId: file.id, name: 'q.txt' };
    const renamed = await alice.post(`${base}/workspace/commands`, { commands: [{ ...rename, content: null }] });
    expect(renamed.body[0]?.node, JSON.stringify(renamed.body)).to.include({ name: 'q.txt' });
    const order = { channelIds: [channel.id], positions: null };
    expect((await alice.patch(`${base}/channels/positions`, order)).status).to.equal(200);
    expect((await alice.patch(`${base}/channels/positions`, { positions: null })).status).to.equal(400);
  });

  it('may be null, or empty in a form, where a file says enough', async () => {
    const { alice, channel } = here;
    for (const messageId of ['', 'null']) {
      const upload = await alice.upload('said.txt', Buffer.from('said'), { messageId });
      const message = { content: null, attachments: [{ id: upload.id, url: null }] };
      const sent = await alice.post(`/api/channels/${channel.id}/messages`, message);
      expect(sent.status, JSON.stringify(sent.body)).to.equal(201);
      expect(sent.body.content).to.equal('');
    }
    const empty = await alice.post(`/api/channels/${channel.id}/messages`, { content: null });
    expect(empty.body.issues).to.deep.equal([{ path: 'content', message: 'must not be empty', code: 'custom' }]);
  });

  it('may be null in events of sockets: whoever knows no position yet joins without one', async () => {
    const { alice, channel, server } = here;
    const robot = await botIn(server, alice);
    const socket = await robot.connect();
    const { id } = (await alice.post(`/api/channels/${channel.id}/messages`, { content: 'of a thread' })).body;
    const thread = (await alice.post(`/api/messages/${id}/thread`, { name: null })).body;
    const events = [
      ['channel:join', { channelId: channel.id, after: null }],
      ['thread:join', { threadId: thread.id, after: null }],
      ['message:typing', { channelId: channel.id, threadId: null, typing: null }],
      [
        'message:stream',
        { channelId: channel.id, streamId: 's', delta: 'so', offset: null, done: null, content: null },
      ],
    ] as const;
    for (const [event, payload] of events) {
      const ack = await socket.emit(event, payload);
      expect(ack.ok, `${event}: ${JSON.stringify(ack)}`).to.equal(true);
    }
    const { message } = await socket.emit('message:stream', { channelId: channel.id, streamId: 's', done: true });
    expect(message.content).to.equal('so');
    robot.hangUp();
  });
});
