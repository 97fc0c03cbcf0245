import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Listener, Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** Requests that say how something is to be, by what they are about. */
type Sets = Record<string, () => Promise<Loose>>;

describe('a change that makes no difference', () => {
  let here: World;
  let ears: Listener[];
  let sets: Sets;

  before(async () => {
    here = await world();
    const { alice, bob, carol, server, channel } = here;
    const robot = await botIn(server, alice);
    const other = await here.newChannel('other');
    const agent = `/api/agents/${robot.agentId}`;
    const workspace = `/api/servers/${server.id}/workspace`;
    const folder = (await alice.post(`${workspace}/folders`, { name: 'folder' })).body;
    const file = (await alice.post(`${workspace}/files`, { name: 'a.txt', content: 'text' })).body;
    const app = { name: 'App', slug: 'app', type: 'html', htmlContent: '<p>app</p>' };
    const { id: appId } = (await alice.post(`/api/servers/${server.id}/apps`, app)).body;
    const message = await alice.say(channel.id, 'text');
    const thread = (await alice.post(`/api/messages/${message.id}/thread`, {})).body;
    const invite = (await alice.post('/api/invites', {})).body[0];
    ears = [await alice.listen(channel.id, other), await bob.listen(channel.id, other), await robot.listen(channel.id)];
    // Each is told who is there a moment after it has joined.
    await until(() => ears.map((ear) => ear.all('presence:snapshot').length).join() === '2,2,1');
    const [own, ofBob] = ears;
    let isSet = false;
    sets = {
      profile: () => alice.patch('/api/auth/me', { displayName: 'Alice', avatarUrl: 'https://example.com/a.png' }),
      'status of a person': async () => {
        const answer = await own?.emit('presence:update', { status: 'dnd' });
        const isMeant = ({ userId, status }: Loose) => userId === alice.id && status === 'dnd';
        if (!isSet) await ofBob?.next('presence:change', ({ changes }) => changes.some(isMeant));
        isSet = true;
        // Changes of presence are put together before they are told.
        await delay(1000);
        return answer;
      },
      server: () => alice.patch(`/api/servers/${server.id}`, { name: 'House', description: 'A house', isPublic: true }),
      'slug of a server': () => alice.patch(`/api/servers/${server.id}`, { slug: `x${server.slug}` }),
      'home page of a server': () => alice.patch(`/api/servers/${server.id}`, { homepageHtml: '<p>Hi</p>' }),
      channel: () => alice.patch(`/api/channels/${channel.id}`, { name: 'lobby', topic: 'all of it' }),
      'order of channels': () =>
        alice.patch(`/api/servers/${server.id}/channels/positions`, { channelIds: [other, channel.id] }),
      'archived channel': () => alice.post(`/api/channels/${other}/archive`, {}),
      'unarchived channel': () => alice.post(`/api/channels/${other}/unarchive`, {}),
      'member of a channel': () => alice.post(`/api/channels/${other}/members`, { userId: bob.id }),
      'read channel': () => alice.put(`/api/channels/${channel.id}/read`, { messageId: message.id }),
      role: () => alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'moderator' }),
      message: () => alice.patch(`/api/messages/${message.id}`, { content: 'another text' }),
      reaction: () => alice.post(`/api/messages/${message.id}/reactions`, { emoji: '👍' }),
      pin: () => alice.put(`/api/channels/${channel.id}/pins/${message.id}`),
      thread: () => alice.patch(`/api/threads/${thread.id}`, { name: 'named', isArchived: true }),
      agent: () => alice.patch(agent, { displayName: 'Robot', description: 'A robot' }),
      'commands of an agent': () => alice.put(`${agent}/slash-commands`, { commands: [{ name: 'go' }] }),
      'policy of a bot in a channel': () =>
        alice.put(`/api/channels/${channel.id}/agents/${robot.agentId}/policy`, { mode: 'custom', reply: false }),
      'policy of a bot in a server': () =>
        alice.put(`/api/servers/${server.id}/agents/${robot.agentId}/policy`, { mode: 'custom', reply: false }),
      'policy of a bot everywhere': () =>
        alice.put(`${agent}/policies`, { serverId: server.id, mode: 'custom', reply: false }),
      'rights of a bot': () =>
        alice.put(`/api/servers/${server.id}/agents/${robot.agentId}/rights`, { workspaceWrite: true }),
      'kept bot': () => alice.put(`/api/servers/${server.id}/agents/${robot.agentId}/keep`),
      workspace: () => alice.patch(workspace, { name: 'Files' }),
      folder: () => alice.patch(`${workspace}/folders/${folder.id}`, { name: 'renamed' }),
      'name of a file': () => alice.patch(`${workspace}/files/${file.id}`, { name: 'b.txt' }),
      'text of a file': () => alice.patch(`${workspace}/files/${file.id}`, { content: 'another text' }),
      app: () => alice.patch(`/api/servers/${server.id}/apps/${appId}`, { name: 'Application', isActive: true }),
      'HTML of an app': () => alice.patch(`/api/servers/${server.id}/apps/${appId}`, { htmlContent: '<p>new</p>' }),
      block: () => alice.put(`/api/friends/blocks/${carol.id}`),
      'invite code': () => alice.patch(`/api/invites/${invite.id}/deactivate`, {}),
      'level of a channel': () => alice.put(`/api/channels/${other}/notification-level`, { level: 'mentions' }),
      preferences: () =>
        alice.patch('/api/notifications/preferences', { strategy: 'mention_only', mutedChannelIds: [other] }),
      'read notifications': () => alice.post('/api/notifications/read-all', {}),
    };
  });
  after(() => {
    for (const ear of ears) ear.close();
    here.close();
  });

  /** Everything has been told that is to be told. */
  async function settled(): Promise<void> {
    const count = async () => (await query(here.cluster.databaseUrl, 'SELECT FROM notification_jobs')).length;
    await until(async () => (await count()) === 0);
    const said = await here.alice.say(here.channel.id, 'all told');
    for (const ear of ears) await ear.next('message:new', ({ id }) => id === said.id);
  }

  it('is told to nobody, whatever it is about', async () => {
    const found: string[] = [];
    for (const [what, set] of Object.entries(sets)) {
      const first = await set();
      if (first.status >= 400 || first.ok === false) found.push(`${what}: ${JSON.stringify(first.body ?? first)}`);
      await settled();
      for (const ear of ears) ear.received.length = 0;
      const second = await set();
      if (second.status >= 500) found.push(`${what}: ${second.status}`);
      await settled();
      // That someone has come online is told a moment later, whatever is done meanwhile.
      const isMeant = ({ event, data }: Loose) =>
        data?.content !== 'all told' &&
        (event !== 'presence:change' || what === 'status of a person') &&
        // Each publishing makes a version, whatever is in it.
        (event !== 'audit:created' || what !== 'HTML of an app');
      const told = ears.flatMap((ear) => ear.received).filter(isMeant);
      for (const { event, data } of told) found.push(`${what}: ${event} ${JSON.stringify(data).slice(0, 200)}`);
    }
    expect(found, found.join('\n')).to.deep.equal([]);
  });
});
