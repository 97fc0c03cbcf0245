import { randomBytes } from 'node:crypto';
import type { Node } from '../../src/node/node.ts';
import { type Cluster, sharedCluster } from './nodes.ts';
import { Person, type Place, request } from './person.ts';

/** A server with a channel and three people: alice owns it, bob is a member, carol is not. */
export interface World<N extends Place = Node, C = Cluster> {
  cluster: C;
  alice: Person<N>;
  bob: Person<N>;
  carol: Person<N>;
  server: { id: string; slug: string; inviteCode: string };
  channel: { id: string };
  /** Makes another channel of the server. @returns its id */
  newChannel(name?: string): Promise<string>;
  /** Ends the connections of everyone in it. */
  close(): void;
}

/**
 * A world of its own in one line: `const { alice, bob, channel } = await world()`. On several nodes alice and bob are
 * on different ones.
 */
export async function world(cluster?: Cluster, headers: () => Record<string, string> = () => ({})): Promise<World> {
  return worldOn(cluster ?? (await sharedCluster()), headers);
}

/** The same on nodes that are not in this process. */
export async function worldOn<N extends Place, C extends { nodes: N[] }>(
  cluster: C & { nodes: N[] },
  headers: () => Record<string, string> = () => ({}),
): Promise<World<N, C>> {
  const at = (i: number): N => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const person = (i: number) => register(at(i), {}, headers());
  const [alice, bob, carol] = await Promise.all([person(0), person(1), person(2)]);
  const slug = `s-${randomBytes(5).toString('hex')}`;
  const server = (await alice.post('/api/servers', { name: 'Home', slug })).body;
  const [channel] = (await alice.get(`/api/servers/${server.id}/channels`)).body;
  const joined = await bob.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
  if (joined.status !== 200) throw new Error(`bob cannot join: ${JSON.stringify(joined.body)}`);
  const people = [alice, bob, carol];
  return {
    cluster,
    alice,
    bob,
    carol,
    server,
    channel,
    async newChannel(name = 'another') {
      return (await alice.post(`/api/servers/${server.id}/channels`, { name })).body.id;
    },
    close() {
      for (const person of people) person.hangUp();
    },
  };
}

/** A new account on a node. */
export async function register<N extends Place>(
  node: N,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Person<N>> {
  const username = `u${randomBytes(6).toString('hex')}`;
  const account = { email: `${username}@example.com`, password: 'correct horse', username, ...more };
  const { status, body } = await request(node, 'POST', '/api/auth/register', account, headers);
  if (status !== 201) throw new Error(`cannot register: ${JSON.stringify(body)}`);
  const { accessToken: token, refreshToken, user } = body;
  return new Person(node, { id: user.id, username: user.username, token, refreshToken });
}
