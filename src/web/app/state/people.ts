import { computed, signal } from '@preact/signals';
import type { RestAnswer } from '../../../client/index.ts';
import { me, parley } from './client.ts';
import { Overtaking } from './overtaking.ts';
import { watchPeople } from './presence.ts';
import { go, pathTo } from './router.ts';
import { attempt, tell } from './toasts.ts';
import { follow } from './unread.ts';

export type DmChannel = RestAnswer<'GET /api/dm/channels'>[number];
export type Friendship = RestAnswer<'GET /api/friends'>[number];
export type Block = RestAnswer<'GET /api/friends/blocks'>[number];

export const dms = signal<DmChannel[]>([]);
export const friends = signal<Friendship[]>([]);
export const requests = signal<Friendship[]>([]);
export const sentRequests = signal<Friendship[]>([]);
export const blocks = signal<Block[]>([]);
const overtaking = new Overtaking();
export const requestCount = computed(() => requests.value.length);

const askForPeople = () =>
  Promise.all([
    parley.rest('GET /api/dm/channels'),
    parley.rest('GET /api/friends'),
    parley.rest('GET /api/friends/pending'),
    parley.rest('GET /api/friends/sent'),
    parley.rest('GET /api/friends/blocks'),
  ]);
type People = Awaited<ReturnType<typeof askForPeople>>;

export const loadPeople = (): Promise<void> => overtaking.read(askForPeople, showPeople);

function showPeople([channels, accepted, pending, sent, blocked]: People): void {
  dms.value = channels;
  friends.value = accepted;
  requests.value = pending;
  sentRequests.value = sent;
  blocks.value = blocked;
  const known = [...channels.map(({ otherUser }) => otherUser.id), ...accepted.map(({ friendId }) => friendId)];
  watchPeople(me.value ? [me.value.id, ...known] : known);
  for (const channel of channels) follow(channel);
}

/** The DM channel with someone. */
async function openDm(userId: string): Promise<DmChannel> {
  const channel = await parley.rest('POST /api/dm/channels', { body: { userId } });
  addDm(channel);
  return channel;
}

/** Opens the conversation with someone, and goes there. */
export async function talkTo(userId: string): Promise<void> {
  const { id } = await openDm(userId);
  go(pathTo.channel(null, id));
}

export async function askFriend(username: string): Promise<void> {
  await parley.rest('POST /api/friends/request', { body: { username } });
  await loadPeople();
}

export async function answerRequest(id: string, accept: boolean): Promise<void> {
  if (accept) await parley.rest('POST /api/friends/:id/accept', { id });
  else await parley.rest('POST /api/friends/:id/reject', { id });
  await loadPeople();
}

export async function endFriendship(id: string): Promise<void> {
  await parley.rest('DELETE /api/friends/:id', { id });
  await loadPeople();
}

export async function block(userId: string): Promise<void> {
  await parley.rest('PUT /api/friends/blocks/:userId', { userId });
  await loadPeople();
}

/** The same, for when nothing else shows that it was done. */
export const blockAndTell = ({ id, displayName }: { id: string; displayName: string }): Promise<boolean> =>
  attempt(async () => {
    await block(id);
    tell(`${displayName} can no longer write to you.`);
  });

export async function unblock(userId: string): Promise<void> {
  await parley.rest('DELETE /api/friends/blocks/:userId', { userId });
  await loadPeople();
}

function addDm(channel: DmChannel): void {
  overtaking.hear();
  if (!dms.value.some(({ id }) => id === channel.id)) dms.value = [channel, ...dms.value];
  watchPeople([channel.otherUser.id]);
  follow(channel);
}

function put(list: Friendship[], entry: Friendship): Friendship[] {
  overtaking.hear();
  return [entry, ...list.filter(({ id }) => id !== entry.id)];
}

parley.on('dm:created', addDm);
parley.on('friend:request', (entry) => {
  if (entry.requesterId === me.value?.id) sentRequests.value = put(sentRequests.value, entry);
  else requests.value = put(requests.value, entry);
});
parley.on('friend:accepted', (entry) => {
  const others = (list: Friendship[]) => list.filter(({ id }) => id !== entry.id);
  friends.value = put(friends.value, entry);
  watchPeople([entry.friendId]);
  requests.value = others(requests.value);
  sentRequests.value = others(sentRequests.value);
});
parley.on('friend:removed', ({ friendshipId }) => {
  overtaking.hear();
  for (const list of [friends, requests, sentRequests]) list.value = list.value.filter(({ id }) => id !== friendshipId);
});
parley.on('user:updated', ({ user }) => {
  overtaking.hear();
  dms.value = dms.value.map((dm) => (dm.otherUser.id === user.id ? { ...dm, otherUser: user } : dm));
  for (const list of [friends, requests, sentRequests]) {
    list.value = list.value.map((entry) => (entry.user.id === user.id ? { ...entry, user } : entry));
  }
});
