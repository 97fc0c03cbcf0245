import type { Node } from '../../src/node/node.ts';
import { sendPicture } from '../pictures/samples.ts';
import { Bot } from '../world/bot.ts';
import type { Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { done } from './done.ts';
import { landscape, leaf } from './pictures.ts';
import { mainTalk } from './talk.ts';

const names = {
  maya: 'Maya Chen',
  jonas: 'Jonas Weber',
  amara: 'Amara Okafor',
  luca: 'Luca Rossi',
  priya: 'Priya Nair',
  sofia: 'Sofia Almeida',
  kenji: 'Kenji Sato',
  leila: 'Leila Haddad',
} as const;

type TeamName = keyof typeof names;

const topics = {
  general: 'What concerns all of us',
  product: 'What we build next, and why',
  engineering: 'The booking app, the stations and their firmware',
  design: 'Sketches, photos and prototypes',
  support: 'Questions from riders: one thread each, please',
  random: 'Coffee, bikes and pictures of cats',
} as const;

type TeamChannel = keyof typeof topics;

/** A small company with its server: everything that the client has to show is in it. */
export interface Team {
  people: Record<TeamName, Person>;
  bot: Bot;
  server: { id: string; inviteCode: string };
  channels: Record<TeamChannel, string>;
  /** A message with code that a thread starts from. */
  opening: string;
  thread: string;
  dm: string;
  group: string;
  agent: string;
  app: string;
  folder: string;
}

/** Furnishes a node with such a team. Maya owns the server and is an operator. */
export async function furnishTeam(node: Node, databaseUrl: string): Promise<Team> {
  const people = await hire(node);
  const { maya, jonas } = people;
  await query(databaseUrl, 'UPDATE users SET is_operator = true WHERE id = $1', [maya.id]);
  const server = await found(people);
  const channels = await openChannels(maya, server.id);
  const bot = await addBot(maya, server.id, channels);
  const { opening, thread } = await mainTalk({ people, bot, server, channels }, databaseUrl);
  const team = { people, bot, server, channels, opening, thread, agent: bot.agentId };
  const { dm, group } = await whisper(team);
  await putOff(team);
  await moderate(team, databaseUrl);
  const { folder, app } = await share(team);
  await done(jonas.post('/api/friends/request', { username: 'maya' }));
  // Whoever was banned knew the code: there is another one since.
  const { inviteCode } = await done(maya.get(`/api/servers/${server.id}`));
  return { ...team, server: { id: server.id, inviteCode }, dm, group, folder, app };
}

async function hire(node: Node): Promise<Record<TeamName, Person>> {
  const hired = async (username: TeamName) => {
    const person = await register(node, { username, email: `${username}@fernwood.example` });
    await done(person.patch('/api/auth/me', { displayName: names[username] }));
    return person;
  };
  const people = {
    maya: await hired('maya'),
    jonas: await hired('jonas'),
    amara: await hired('amara'),
    luca: await hired('luca'),
    priya: await hired('priya'),
    sofia: await hired('sofia'),
    kenji: await hired('kenji'),
    leila: await hired('leila'),
  };
  await done(people.amara.put('/api/auth/me/custom-status', { emoji: '🌴', text: 'Back on Monday' }));
  await done(people.jonas.put('/api/auth/me/custom-status', { emoji: '🎧', text: 'Deep in the price query' }));
  return people;
}

/** The server, its members and roles. */
async function found(people: Record<TeamName, Person>): Promise<Team['server']> {
  const { maya, jonas, amara, ...others } = people;
  const server = await done(maya.post('/api/servers', { name: 'Fernwood Bikes', slug: 'fernwood' }));
  const at = `/api/servers/${server.id}`;
  const icon = (await sendPicture(maya, await leaf())).body.url;
  const banner = (await sendPicture(maya, await landscape(1, 960, 320), { shape: 'banner' })).body.url;
  const description = 'Cargo bikes for everyone, by the hour. We build the stations, the bikes and the app.';
  await done(maya.patch(at, { description, iconUrl: icon, bannerUrl: banner, isPublic: true, keepEditHistory: true }));
  for (const one of [jonas, amara, ...Object.values(others)])
    await done(one.post(`${at}/join`, { inviteCode: server.inviteCode }));
  await done(maya.patch(`${at}/members/${jonas.id}`, { role: 'admin' }));
  await done(maya.patch(`${at}/members/${amara.id}`, { role: 'moderator' }));
  const permissions = ['message:pin', 'thread:manage'];
  const design = await done(maya.post(`${at}/roles`, { name: 'Design', color: '#b0487f', permissions }));
  const onCall = await done(maya.post(`${at}/roles`, { name: 'On call', color: '#2f7d6b', permissions: [] }));
  await done(maya.put(`${at}/members/${others.sofia.id}/roles/${design.id}`));
  await done(maya.put(`${at}/members/${others.kenji.id}/roles/${onCall.id}`));
  return server;
}

async function openChannels(maya: Person, serverId: string): Promise<Team['channels']> {
  const at = `/api/servers/${serverId}/channels`;
  const [general] = await done(maya.get(at));
  await done(maya.patch(`/api/channels/${general.id}`, { topic: topics.general }));
  const open = async (name: Exclude<TeamChannel, 'general'>): Promise<string> =>
    (await done(maya.post(at, { name, topic: topics[name] }))).id;
  const channels = {
    general: general.id,
    product: await open('product'),
    engineering: await open('engineering'),
    design: await open('design'),
    support: await open('support'),
    random: await open('random'),
  };
  await done(maya.post(at, { name: 'announcements', type: 'announcement', topic: 'Releases and dates' }));
  await done(maya.post(at, { name: 'hiring', isPrivate: true, topic: 'Applications' }));
  const old = await done(maya.post(at, { name: 'old-website' }));
  await done(maya.post(`/api/channels/${old.id}/archive`));
  return channels;
}

async function addBot(maya: Person, serverId: string, channels: Team['channels']): Promise<Bot> {
  const body = await done(maya.post('/api/agents', { name: 'builds', displayName: 'Builds' }));
  const bot = new Bot(maya.node, { id: body.userId, username: body.name, token: body.token, agentId: body.id });
  await done(maya.post(`/api/servers/${serverId}/agents`, { agentIds: [bot.agentId] }));
  await done(maya.post(`/api/channels/${channels.engineering}/members`, { userId: bot.id }));
  const commands = [
    { name: 'deploy', description: 'Brings a branch to the test stations' },
    { name: 'status', description: 'Says what is running where' },
  ];
  await done(maya.put(`/api/agents/${bot.agentId}/slash-commands`, { commands }));
  await done(maya.put(`/api/channels/${channels.engineering}/agents/${bot.agentId}/policy`, { mode: 'mentionOnly' }));
  const hook = { name: 'GitHub', format: 'github' };
  await done(maya.post(`/api/channels/${channels.engineering}/hooks`, hook));
  return bot;
}

type Begun = Omit<Team, 'dm' | 'group' | 'folder' | 'app'>;

/** Direct messages, and a group. */
async function whisper({ people }: Begun): Promise<Pick<Team, 'dm' | 'group'>> {
  const { maya, sofia, priya, kenji } = people;
  const dm = await done(sofia.post('/api/dm/channels', { userId: maya.id }));
  await sofia.say(dm.id, 'Do you have ten minutes this afternoon? The new icons are ready.');
  await maya.say(dm.id, 'Yes, at three! Bring the colours for the stations, too.');
  await sofia.say(dm.id, 'Will do 🎨');
  const userIds = [maya.id, kenji.id];
  const group = await done(priya.post('/api/dm/channels', { userIds, name: 'Release day' }));
  await priya.say(group.id, 'I start the rollout at ten. Who watches the dashboards?');
  await kenji.say(group.id, 'I do, until noon.');
  return { dm: dm.id, group: group.id };
}

/** What is saved, scheduled and begun, and friends. */
async function putOff({ people, channels, opening }: Begun): Promise<void> {
  const { maya, sofia, luca, leila } = people;
  const ahead = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  await done(maya.post('/api/later', { messageId: opening, remindAt: ahead(20) }));
  await done(maya.post('/api/later', { note: 'Water the plants', remindAt: ahead(30) }));
  const finished = await done(maya.post('/api/later', { note: 'Order stickers', remindAt: ahead(40) }));
  await done(maya.patch(`/api/later/${finished.id}`, { isDone: true }));
  const content = 'Good morning! Today is release day. Please do not merge before noon.';
  await done(maya.post(`/api/channels/${channels.engineering}/scheduled-messages`, { content, sendAt: ahead(16) }));
  const draft = { content: 'About the price table: I would like to', revision: null };
  await done(maya.put(`/api/channels/${channels.product}/draft`, draft));
  for (const friend of [sofia, luca]) {
    const request = await done(friend.post('/api/friends/request', { username: 'maya' }));
    await done(maya.post(`/api/friends/${request.id}/accept`));
  }
  await done(maya.post('/api/friends/request', { username: leila.username }));
}

/** What moderators and operators deal with. */
async function moderate({ people, server, channels }: Begun, databaseUrl: string): Promise<void> {
  const { maya, amara, luca, kenji, leila } = people;
  const at = `/api/servers/${server.id}`;
  await done(maya.post(`${at}/filters`, { kind: 'word', action: 'hold', patterns: ['casino*', 'free money'] }));
  await done(maya.post(`${at}/filters`, { kind: 'link', action: 'refuse', patterns: ['evil.example'] }));
  await leila.post(`/api/channels/${channels.random}/messages`, { content: 'My cousin opens a casino, come along!' });
  const rude = await luca.say(channels.random, 'That is the worst coffee I have ever had, and I blame you.');
  const report = { kind: 'message', messageId: rude.id, category: 'harassment', text: 'Not the right tone.' };
  await done(kenji.post('/api/reports', report));
  await done(amara.post('/api/reports', { kind: 'user', userId: luca.id, category: 'spam' }));
  await done(maya.put(`${at}/members/${luca.id}/timeout`, { seconds: 3600, reason: 'Take a walk.' }));
  await done(maya.post(`${at}/invites`, { maxUses: 5, channelId: channels.general, expiresIn: 86_400 }));
  await done(maya.post('/api/invite-codes', { count: 2 }));
  const guest = await register(maya.node, { username: 'cheap-watches', email: 'watches@spam.example' });
  await done(guest.post(`${at}/join`, { inviteCode: server.inviteCode }));
  await done(maya.post(`${at}/bans`, { userId: guest.id, reason: 'Spam' }));
  await done(maya.put(`/api/operator/users/${guest.id}/suspension`, { reason: 'Spam' }));
  await query(
    databaseUrl,
    `INSERT INTO jobs (id, kind, data, attempts, error, died_at)
     VALUES (gen_random_uuid(), 'mail', '{}', 4, 'The mail server did not answer.', now())`,
  );
}

/** Files, apps, emoji, tokens. */
async function share({ people, server }: Begun): Promise<Pick<Team, 'folder' | 'app'>> {
  const { maya, sofia } = people;
  const at = `/api/servers/${server.id}`;
  const files = `${at}/workspace`;
  const brand = await done(maya.post(`${files}/folders`, { name: 'Brand', parentId: null }));
  const plans = await done(sofia.post(`${files}/folders`, { name: 'Plans', parentId: null }));
  const plan = '# Spring\n\n- [x] Stations at the river\n- [ ] Winter tyres off\n\nSee the **map** of May.';
  await done(sofia.post(`${files}/files`, { name: 'spring.md', content: plan, parentId: plans.id }));
  await done(
    maya.post(`${files}/files`, { name: 'voice-and-tone.md', content: '# We speak plainly', parentId: brand.id }),
  );
  await done(maya.post(`${files}/files`, { name: 'how-we-work.md', content: '# How we work\n\nCalmly.' }));
  await done(maya.post(`${files}/files`, { name: 'stations.csv', content: 'name,docks\nRiver,12\nMarket,8\n' }));
  const page =
    '<style>body{font:16px system-ui;padding:24px}</style><h1>Fernwood</h1><p>Stations: 14 of 15 online.</p>';
  await done(maya.patch(at, { homepageHtml: page }));
  const board = { name: 'Stations', slug: 'stations', type: 'html', htmlContent: page };
  const app = await done(maya.post(`${at}/apps`, { ...board, isHomepage: true }));
  const picture = await leaf();
  const { url } = (await sendPicture(maya, picture, { shape: 'emoji' })).body;
  await done(maya.post(`${at}/emoji`, { name: 'fern', url }));
  await done(maya.post('/api/tokens', { name: 'Nightly report', scopes: ['messages:read'] }));
  return { folder: plans.id, app: app.slug ?? app.id };
}
