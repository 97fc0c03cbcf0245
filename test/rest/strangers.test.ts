import { expect } from 'chai';
import { errorsOf as eventErrors } from '../../src/gateway/asyncapi.ts';
import type { Route } from '../../src/rest/route.ts';
import { sharedCluster } from '../world/nodes.ts';
import { type Answer, type Listener, type Loose, type Person, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { paramFor, type Samples, sampleFor, samplesOf } from './samples.ts';
import { expectError } from './verdict.ts';

const cluster = await sharedCluster();
const { routes = [], handlers = [] } = cluster.nodes[0]?.endpoints ?? {};

/** What belongs to a private server that the stranger is not in. */
const hidden = new Set(['SERVER_NOT_FOUND', 'CHANNEL_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'THREAD_NOT_FOUND']);
/** A private server is not hidden from someone who asks to be let in by its id (contract §5, §12). */
const mayKnock = /\/(join|join-requests|access)$/;

const guarded = routes.filter(
  (route) =>
    route.auth === 'required' &&
    !route.file &&
    !mayKnock.test(route.path) &&
    Object.values(route.params ?? {}).some((param) => hidden.has(param.missing)),
);

/** What came beside the news of who is there. */
const told = ({ received }: Listener): string[] =>
  received.map(({ event }) => event).filter((event) => event !== 'ready' && !event.startsWith('presence:'));

describe('to a stranger', () => {
  let here: World;
  let samples: Samples;

  before(async () => {
    here = await world(cluster);
    samples = await samplesOf(here);
  });
  after(() => here.close());

  for (const route of guarded) {
    it(`nothing of a private server exists: ${route.method} ${route.path}`, async () => {
      const before = await seen(here.alice);
      const answer = await knock(route, here.carol);
      // A body that the samples cannot fill is refused before anything is looked up.
      const fits = !route.body || route.body.safeParse(sampleFor(route.body, samples)).success;
      if (answer.status !== 400 || fits) {
        expect(answer.status, JSON.stringify(answer.body)).to.equal(404);
        expectError(answer);
      }
      expect(JSON.stringify(answer.body)).not.to.match(/Home|general|to be changed/);
      expect(await seen(here.alice)).to.deep.equal(before);
    });
  }

  const knock = (route: Route, caller: Person): Promise<Answer> => {
    const params = route.params ?? {};
    const fill = (name: string) => paramFor(name, params[name], samples);
    const path = route.path.replace(/[:*](\w+)/g, (_, name: string) => encodeURIComponent(fill(name)));
    const query = route.query ? sampleFor(route.query, samples) : {};
    const search = Object.entries(query)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      .join('&');
    const body = route.body ? sampleFor(route.body, samples) : undefined;
    const headers = { authorization: `Bearer ${caller.token}` };
    return request(caller.node, route.method, `${path}?${search}`, body, headers);
  };

  /** What the owner sees; a stranger's attempts leave no trace in it. */
  const seen = async (alice: Person): Promise<Loose[]> => {
    const { server, channel } = here;
    const paths = [`/api/servers/${server.id}`, `/api/channels/${channel.id}`, `/api/channels/${channel.id}/messages`];
    return (await Promise.all(paths.map((path) => alice.get(path)))).map(({ body }) => body);
  };

  for (const handler of handlers) {
    const codes = eventErrors(handler);
    if (!codes.some((code) => hidden.has(code))) continue;
    it(`nothing of a private server exists: ${handler.event}`, async () => {
      const ear = await here.alice.listen(here.channel.id);
      const mouth = await here.carol.connect();
      const ack = await mouth.emit(handler.event, sampleFor(handler.payload, samples));
      expect(ack.ok, JSON.stringify(ack)).to.equal(false);
      // Streams are for bots: people hear so before anything is looked up.
      const early = handler.event === 'message:stream' ? ['FORBIDDEN'] : [];
      expect([...hidden, ...early, 'VALIDATION_FAILED']).to.include(ack.code);
      const { id } = await here.alice.say(here.channel.id, 'after');
      await ear.next('message:new', (message) => message.id === id);
      expect(told(ear).filter((event) => event !== 'message:new')).to.deep.equal([]);
      expect(told(mouth)).to.deep.equal([]);
      mouth.close();
      ear.close();
    });
  }

  it('a public server shows itself and the names of its channels, and nothing more', async () => {
    const { alice, carol } = here;
    const open = (await alice.post('/api/servers', { name: 'Open', isPublic: true })).body;
    const [general] = (await carol.get(`/api/servers/${open.id}/channels`)).body;
    const message = await alice.say(general.id, 'members only');
    const shown = (await carol.get(`/api/servers/${open.id}`)).body;
    expect(shown).to.include({ name: 'Open', role: null }).and.not.have.any.keys('inviteCode', 'ownerId');
    expect(general.name).to.equal('general');
    const inside = [`/api/channels/${general.id}/messages`, `/api/messages/${message.id}`];
    const answers = [...inside.map((path) => carol.get(path)), carol.post(inside[0] ?? '', { content: 'x' })];
    for (const { status, body } of await Promise.all(answers)) {
      expect([403, 404]).to.include(status);
      expect(JSON.stringify(body)).not.to.contain('members only');
    }
    expectError(await carol.post(`/api/servers/${open.id}/channels`, { name: 'x' }), 'NOT_A_MEMBER');
  });

  it('who has left is a stranger again, at once and on every node', async () => {
    const { alice, bob, server, channel } = await world(cluster);
    const message = await alice.say(channel.id, 'then');
    const ear = await bob.listen(channel.id);
    expect((await bob.post(`/api/servers/${server.id}/leave`)).status).to.equal(200);
    for (const node of cluster.nodes) {
      const gone = bob.on(node);
      expectError(await gone.get(`/api/channels/${channel.id}/messages`), 'CHANNEL_NOT_FOUND');
      expectError(await gone.get(`/api/messages/${message.id}`), 'MESSAGE_NOT_FOUND');
      expectError(await gone.get(`/api/channels/${channel.id}/events?after=0`), 'CHANNEL_NOT_FOUND');
      expectError(await gone.get(`/api/servers/${server.id}`), 'SERVER_NOT_FOUND');
    }
    await alice.say(channel.id, 'not for bob');
    expect((await ear.emit('channel:join', { channelId: channel.id, after: 0 })).code).to.equal('CHANNEL_NOT_FOUND');
    expect(JSON.stringify(ear.received)).not.to.contain('not for bob');
    bob.hangUp();
  });
});
