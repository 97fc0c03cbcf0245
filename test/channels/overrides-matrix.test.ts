// long

import { expect } from 'chai';
import { ownRole } from '../world/own-roles.ts';
import type { Listener, Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

/** What a channel may override, and which fixed role has it without any override. */
const rights = {
  view: 'member',
  post: 'member',
  react: 'member',
  thread: 'member',
  attach: 'member',
  mentionAll: 'moderator',
  manage: 'moderator',
} as const;
type Right = keyof typeof rights;

/** Everyone has `member`; the holder an own role, too; the named one an override by themselves. */
const people = ['owner', 'admin', 'moderator', 'holder', 'named', 'plain'] as const;
type Who = (typeof people)[number];
type Subject = 'member' | 'moderator' | 'role' | 'named';
type Verdict = 'allow' | 'deny';

/** The table of expectations: each group of overrides that counts, in the order in which they count. */
const groups: { subjects: Subject[]; concerns: (who: Who, subject: Subject) => boolean }[] = [
  { subjects: ['member'], concerns: () => true },
  {
    subjects: ['moderator', 'role'],
    concerns: (who, subject) => (subject === 'role' ? who === 'holder' : who === 'moderator'),
  },
  { subjects: ['named'], concerns: (who) => who === 'named' },
];

type Overrides = Partial<Record<Subject, Verdict>>;

/** The overrides that each right is tried with. */
const cases: Overrides[] = [
  {},
  { member: 'deny' },
  { member: 'deny', role: 'allow' },
  { member: 'deny', moderator: 'allow', named: 'allow' },
  { role: 'deny', moderator: 'deny' },
  { named: 'deny' },
  { member: 'allow', role: 'deny', named: 'deny' },
];

function expected(right: Right, overrides: Overrides, who: Who): boolean {
  // Nothing binds them, but a closed channel they enter first, except for whoever closed it.
  if (who === 'owner' || who === 'admin') return right !== 'view' || who === 'owner' || overrides.member !== 'deny';
  let may = rights[right] === 'member' || who === 'moderator';
  for (const { subjects, concerns } of groups) {
    const said = subjects.flatMap((subject) => (concerns(who, subject) ? (overrides[subject] ?? []) : []));
    if (said.includes('deny')) may = false;
    if (said.includes('allow')) may = true;
  }
  return may;
}

interface Stage {
  channelId: string;
  message: Loose;
  threadId: string;
  /** Person → a message that they wrote there, another one, and one of the owner's. */
  own: Map<string, string>;
  more: Map<string, string>;
  doomed: Map<string, string>;
  /** Person → a signed link to a file there. */
  links: Map<string, string>;
  ears: Map<Who, Listener>;
}

const refusals = [
  'ROLE_REQUIRED',
  'NOT_A_MEMBER',
  'FORBIDDEN',
  'CHANNEL_NOT_FOUND',
  'MESSAGE_NOT_FOUND',
  'THREAD_NOT_FOUND',
];

/** Whether an answer or ack is a success; anything but one of the refusals is neither. */
function granted(what: string, answer: Loose): boolean {
  if (answer.ok === true || (answer.status >= 200 && answer.status < 300)) return true;
  const code = answer.code ?? answer.body?.code;
  expect(refusals, `${what}: ${JSON.stringify(answer.body ?? answer)}`).to.include(code);
  return false;
}

type Act = (who: Person, stage: Stage, ear: Listener) => Promise<Loose>;
const fileOf = (who: Person) => who.upload('note.txt', new TextEncoder().encode('hello'));
const emit = (ear: Listener, event: string, payload: object) => ear.emit(event, payload);

/** Everything by which a right is used, over REST and sockets. */
const acts: Record<Exclude<Right, 'mentionAll'>, Record<string, Act>> = {
  view: {
    page: (who, { channelId }) => who.get(`/api/channels/${channelId}/messages`),
    around: (who, { channelId, message }) => who.get(`/api/channels/${channelId}/messages/around/${message.id}`),
    message: (who, { message }) => who.get(`/api/messages/${message.id}`),
    log: (who, { channelId }) => who.get(`/api/channels/${channelId}/events?after=0`),
    'long poll': (who, { channelId }) => who.get(`/api/channels/${channelId}/events?after=1&wait=1`),
    pins: (who, { channelId }) => who.get(`/api/channels/${channelId}/pins`),
    threads: (who, { channelId }) => who.get(`/api/channels/${channelId}/threads`),
    thread: (who, { threadId }) => who.get(`/api/threads/${threadId}/messages`),
    reactions: (who, { message }) => who.get(`/api/messages/${message.id}/reactions`),
    bootstrap: (who, { channelId }) => who.get(`/api/channels/${channelId}/bootstrap`),
    suggestions: (who, { channelId }) => who.get(`/api/mentions/suggest?channelId=${channelId}`),
    'search in it': (who, { channelId }) => who.get(`/api/search/messages?query=treasure&channelId=${channelId}`),
    read: (who, { channelId }) => who.put(`/api/channels/${channelId}/read`, { seq: 1 }),
    join: (_, { channelId }, ear) => emit(ear, 'channel:join', { channelId }),
    return: (_, { channelId }, ear) => emit(ear, 'channel:join', { channelId, after: 1 }),
    follow: (_, { threadId }, ear) => emit(ear, 'thread:join', { threadId }),
  },
  post: {
    send: (who, { channelId }) => who.post(`/api/channels/${channelId}/messages`, { content: 'hello' }),
    'send in a thread': (who, { threadId }) => who.post(`/api/threads/${threadId}/messages`, { content: 'hello' }),
    emit: (_, { channelId }, ear) => emit(ear, 'message:send', { channelId, content: 'hello' }),
    typing: (_, { channelId }, ear) => emit(ear, 'message:typing', { channelId, typing: true }),
    activity: (_, { channelId }, ear) => emit(ear, 'presence:activity', { channelId, activity: 'thinking' }),
    edit: (who, { own }) => who.patch(`/api/messages/${own.get(who.id)}`, { content: 'said anew' }),
    'emitted edit': (who, { own }, ear) =>
      emit(ear, 'message:edit', { messageId: own.get(who.id), content: 'said once more' }),
  },
  react: {
    react: (who, { message }) => who.post(`/api/messages/${message.id}/reactions`, { emoji: '👍' }),
    emit: (_, { message }, ear) => emit(ear, 'reaction:add', { messageId: message.id, emoji: '🎉' }),
  },
  thread: {
    'from a message': (who, { own }) => who.post(`/api/messages/${own.get(who.id)}/thread`),
    'in a channel': (who, { channelId, more }) =>
      who.post(`/api/channels/${channelId}/threads`, { name: 'x', parentMessageId: more.get(who.id) }),
  },
  attach: {
    send: async (who, { channelId }) =>
      who.post(`/api/channels/${channelId}/messages`, { content: '', attachments: [{ id: (await fileOf(who)).id }] }),
    'send in a thread': async (who, { threadId }) =>
      who.post(`/api/threads/${threadId}/messages`, { content: '', attachments: [{ id: (await fileOf(who)).id }] }),
    emit: async (who, { channelId }, ear) =>
      emit(ear, 'message:send', { channelId, content: 'hello', attachments: [{ id: (await fileOf(who)).id }] }),
    'add to a message': (who, { own }) => addedTo(who, own.get(who.id) ?? ''),
  },
  manage: {
    pin: (who, { channelId, message }) => who.put(`/api/channels/${channelId}/pins/${message.id}`),
    unpin: (who, { message }) => who.delete(`/api/messages/${message.id}/pin`),
    thread: (who, { threadId }) => who.patch(`/api/threads/${threadId}`, { name: 'called anew' }),
    delete: (who, { doomed }) => who.delete(`/api/messages/${doomed.get(who.id)}`),
  },
};

async function addedTo(who: Person, messageId: string): Promise<Loose> {
  const form = new FormData();
  form.append('messageId', messageId);
  form.append('file', new Blob([new TextEncoder().encode('hello')]), 'more.txt');
  const headers = { authorization: `Bearer ${who.token}` };
  const answer = await fetch(`${who.node.url}/api/media/upload`, { method: 'POST', body: form, headers });
  return { status: answer.status, body: await answer.json() };
}

describe('what a channel overrides', () => {
  let here: World;
  let cast: Record<Who, Person>;
  let roleId: string;

  before(async () => {
    here = await world();
    const { alice, bob, cluster, server } = here;
    const join = async (i: number, role?: string) => {
      const node = cluster.nodes[i % cluster.nodes.length];
      if (!node) throw new Error('no node');
      const person = await register(node);
      await person.post('/api/servers/_/join', { inviteCode: server.inviteCode });
      if (role) await alice.patch(`/api/servers/${server.id}/members/${person.id}`, { role });
      return person;
    };
    const [admin, moderator, holder, named] = await Promise.all([
      join(0, 'admin'),
      join(1, 'moderator'),
      join(1),
      join(0),
    ]);
    cast = { owner: alice, admin, moderator, holder, named, plain: bob };
    roleId = await ownRole(here, [holder]);
  });
  after(() => {
    for (const person of Object.values(cast)) person.hangUp();
    here.close();
  });

  const each = (act: (who: Who, person: Person) => Promise<void>) =>
    Promise.all(people.map((who) => act(who, cast[who])));

  const pathOf = (channelId: string, subject: string) => {
    const at = `/api/channels/${channelId}/overrides`;
    if (subject === 'named') return `${at}/users/${cast.named.id}`;
    return `${at}/roles/${subject === 'role' ? roleId : subject}`;
  };

  /** A channel with what it takes, in which everyone could do everything that members may until the overrides came. */
  async function stage(right: Right, overrides: Overrides): Promise<Stage> {
    const { alice } = here;
    const channelId = await here.newChannel(right);
    const file = await alice.upload('map.txt', new TextEncoder().encode('x marks the spot'));
    const message = await alice.say(channelId, `treasure ${channelId}`, { attachments: [{ id: file.id }] });
    const threadId = (await alice.post(`/api/messages/${message.id}/thread`)).body.id;
    await alice.post(`/api/threads/${threadId}/messages`, { content: 'deeper' });
    const made = { own: new Map(), more: new Map(), doomed: new Map(), links: new Map(), ears: new Map() };
    await each(async (who, person) => {
      made.ears.set(who, await person.listen(channelId));
      made.own.set(person.id, (await person.say(channelId, 'mine')).id);
      made.more.set(person.id, (await person.say(channelId, 'mine, too')).id);
      made.doomed.set(person.id, (await alice.say(channelId, 'not for long')).id);
      made.links.set(person.id, (await person.get(`/api/attachments/${file.id}/media-url`)).body.url);
    });
    for (const [subject, verdict] of Object.entries(overrides)) {
      const answer = await alice.put(pathOf(channelId, subject), { [verdict]: [right] });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    }
    return { channelId, message, threadId, ...made };
  }

  const name = (overrides: Overrides) => JSON.stringify(overrides);

  for (const right of ['view', 'post', 'react', 'thread', 'attach', 'manage'] as const) {
    for (const overrides of cases) {
      it(`holds for ${right} with ${name(overrides)}, whoever tries it in whichever way`, async () => {
        const there = await stage(right, overrides);
        await each(async (who, person) => {
          const ear = there.ears.get(who) ?? (await person.connect());
          const may = expected(right, overrides, who);
          for (const [way, act] of Object.entries(acts[right])) {
            const what = `${who}: ${right} by ${way}`;
            expect(granted(what, await act(person, there, ear)), what).to.equal(may);
          }
          ear.close();
        });
      }).timeout(60_000);
    }
  }

  for (const overrides of cases) {
    it(`holds for mentions of everyone with ${name(overrides)}, in new messages and in edits`, async () => {
      const there = await stage('mentionAll', overrides);
      await each(async (who, person) => {
        const ear = there.ears.get(who) ?? (await person.connect());
        const sent = await person.say(there.channelId, 'hello @everyone');
        const edited = await person.patch(`/api/messages/${there.own.get(person.id)}`, { content: 'hello @here' });
        const emitted = await ear.emit('message:send', { channelId: there.channelId, content: '@everyone' });
        const may = expected('mentionAll', overrides, who);
        for (const { mentions } of [sent, edited.body, emitted.message]) {
          expect(mentions.length > 0, who).to.equal(may);
        }
        ear.close();
      });
    }).timeout(60_000);
  }

  for (const overrides of cases) {
    it(`shows nothing of a channel to those who may not view it with ${name(overrides)}`, async () => {
      const { alice, server } = here;
      const there = await stage('view', overrides);
      const { channelId } = there;
      const last = await alice.say(
        channelId,
        `afterwards in ${channelId} @${cast.plain.username} @${cast.named.username}`,
      );
      await there.ears.get('owner')?.next('message:new', ({ id }) => id === last.id);
      await each(async (who, person) => {
        const may = expected('view', overrides, who);
        const items = (await person.get(`/api/servers/${server.id}/channels`)).body;
        const item = items.find(({ id }: Loose) => id === channelId);
        expect(Boolean(item?.isMember), who).to.equal(may);
        const found = (await person.get(`/api/search/messages?query=${channelId}`)).body;
        expect(found.length > 0, who).to.equal(may);
        const link = there.links.get(person.id) ?? '';
        expect((await fetch(`${person.node.url}${link}`)).status, who).to.equal(may ? 200 : 403);
        const told = there.ears
          .get(who)
          ?.all('message:new')
          .some(({ id }) => id === last.id);
        if (!may) expect(told, who).to.equal(false);
        const members = (await alice.get(`/api/channels/${channelId}/members?limit=100`)).body;
        expect(
          members.some(({ userId }: Loose) => userId === person.id),
          who,
        ).to.equal(may);
        const named = (await alice.post('/api/mentions/resolve', { channelId, content: `@${person.username}` })).body;
        expect(JSON.stringify(named).includes(person.id), who).to.equal(may);
        there.ears.get(who)?.close();
      });
    }).timeout(60_000);
  }
});
