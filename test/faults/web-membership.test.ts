// nodes: own

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../rig/until.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { type WebWorld, webWorld } from '../world/visitor.ts';

/** What a case is about: a server of alice's, in which bob is and carol is not, with a private channel and an open one. */
interface Scene extends WebWorld {
  at: string;
  hidden: string;
  plans: string;
  /** A thread in `general`. */
  thread: string;
}

interface Case {
  /** Whose page is shown; bob's, unless it says otherwise. */
  who?(scene: Scene): Person;
  before?(scene: Scene): Promise<unknown>;
  path(scene: Scene): string;
  /** The events, one after the other; a text is waited for before the next, so that each is shown. */
  happen: (((scene: Scene) => Promise<unknown>) | string)[];
  /** A text that a new page shows then. */
  shows: string;
}

const inGeneral = ({ server, channel }: Scene) => `/app/s/${server.id}/${channel.id}`;
const inHidden = ({ server, hidden }: Scene) => `/app/s/${server.id}/${hidden}`;
const inPlans = ({ server, plans }: Scene) => `/app/s/${server.id}/${plans}`;
const inServer = ({ server }: Scene) => `/app/s/${server.id}`;

const done = async (answer: Promise<Answer>): Promise<Loose> => {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};
const kick = ({ alice, bob, at }: Scene) => done(alice.delete(`${at}/members/${bob.id}`));
const ban = ({ alice, bob, at }: Scene) => done(alice.post(`${at}/bans`, { userId: bob.id, reason: 'Too loud' }));
const unban = ({ alice, bob, at }: Scene) => done(alice.delete(`${at}/bans/${bob.id}`));
const leave = ({ bob, at }: Scene) => done(bob.post(`${at}/leave`));
/** A removal makes a new code. */
async function comeBack({ alice, bob, at }: Scene): Promise<void> {
  const { inviteCode } = (await alice.get(at)).body;
  await done(bob.post(`${at}/join`, { inviteCode }));
}
const speak = ({ alice, channel, plans }: Scene) =>
  Promise.all([alice.say(channel.id, 'meanwhile'), alice.say(plans, 'meanwhile too')]);
const letIn = ({ alice, bob, hidden }: Scene) =>
  done(alice.post(`/api/channels/${hidden}/members`, { userId: bob.id }));
const putOut = ({ alice, bob, hidden }: Scene) => done(alice.delete(`/api/channels/${hidden}/members/${bob.id}`));
const decide = (status: string, at: (scene: Scene) => string) => async (scene: Scene) => {
  const [request] = (await scene.alice.get(`${scene.at}/join-requests`)).body;
  await done(scene.alice.patch(`${at(scene)}/${request.id}`, { status }));
};
const forServer = () => '/api/servers/join-requests';
const forChannel = () => '/api/channel-join-requests';
const ask = ({ carol, at }: Scene) => done(carol.post(`${at}/join-requests`));
const askIn = ({ bob, hidden }: Scene) => done(bob.post(`/api/channels/${hidden}/join-requests`));
const role = (name: string) => (scene: Scene) =>
  done(scene.alice.patch(`${scene.at}/members/${scene.bob.id}`, { role: name }));
const everyone = (channel: 'hidden' | 'plans', lists: { allow: string[]; deny: string[] }) => (scene: Scene) =>
  done(scene.alice.put(`/api/channels/${scene[channel]}/overrides/roles/member`, lists));
const own = (channel: 'hidden' | 'plans', lists: { allow: string[]; deny: string[] }) => (scene: Scene) =>
  done(scene.alice.put(`/api/channels/${scene[channel]}/overrides/users/${scene.bob.id}`, lists));
const view = { allow: ['view'], deny: [] };
const noView = { allow: [], deny: ['view'] };

const carol = ({ carol: person }: Scene): Person => person;

const cases: Record<string, Case> = {
  'someone is let into a server whose page they look at': {
    who: carol,
    before: ask,
    path: inServer,
    happen: [decide('approved', forServer)],
    shows: 'the first words',
  },
  'someone is let into a server while they look at the address of a channel in it': {
    who: carol,
    before: ask,
    path: inGeneral,
    happen: [decide('approved', forServer)],
    shows: 'the first words',
  },
  'a request to join a server is declined': {
    who: carol,
    before: ask,
    path: inServer,
    happen: [decide('rejected', forServer)],
    shows: 'Ask to join',
  },
  'a request to join a channel is declined': {
    before: askIn,
    path: inHidden,
    happen: [decide('rejected', forChannel)],
    shows: 'Ask to join',
  },
  'a request to join a channel is approved': {
    before: askIn,
    path: inHidden,
    happen: [decide('approved', forChannel)],
    shows: 'the secret',
  },
  'someone is removed from the server': { path: inGeneral, happen: [kick], shows: 'A private server' },
  'someone is removed from the server and comes back': {
    path: inGeneral,
    happen: [kick, 'A private server', speak, comeBack],
    shows: 'meanwhile',
  },
  'someone is removed twice and comes back twice': {
    path: inPlans,
    happen: [kick, comeBack, 'the plan', speak, 'meanwhile too', kick, comeBack],
    shows: 'meanwhile too',
  },
  'someone with unread messages and a thread is removed and comes back': {
    before: async (scene) => {
      await speak(scene);
      await scene.bob.put(`/api/threads/${scene.thread}/follow`, {});
      await scene.alice.post(`/api/threads/${scene.thread}/messages`, { content: 'a reply' });
    },
    path: inHidden,
    happen: [kick, 'A private server', comeBack],
    shows: 'This channel is private',
  },
  'someone who looks at a thread is removed and comes back': {
    path: ({ server, channel, thread }) => `/app/s/${server.id}/${channel.id}/thread/${thread}`,
    happen: [kick, comeBack],
    shows: 'the aside',
  },
  'someone is banned': { path: inGeneral, happen: [ban], shows: 'A private server' },
  'someone is banned, and comes back once that is lifted': {
    path: inGeneral,
    happen: [ban, 'A private server', unban, comeBack],
    shows: 'the first words',
  },
  'someone leaves on another device': { path: inGeneral, happen: [leave], shows: 'A private server' },
  'someone leaves and joins on another device': {
    path: inGeneral,
    happen: [leave, comeBack],
    shows: 'the first words',
  },
  'the server is deleted': {
    path: inGeneral,
    happen: [({ alice, at }) => done(alice.delete(at))],
    shows: 'Server not found',
  },
  'someone is let into a private channel that they look at': { path: inHidden, happen: [letIn], shows: 'the secret' },
  'someone is let into a private channel of a category that they did not see': {
    path: inGeneral,
    happen: [letIn],
    shows: 'Cellar',
  },
  'someone is removed from a private channel': {
    before: letIn,
    path: inHidden,
    happen: [putOut],
    shows: 'This channel is private',
  },
  'someone is removed from a private channel and let in again': {
    before: letIn,
    path: inHidden,
    happen: [putOut, 'This channel is private', ({ alice, hidden }) => alice.say(hidden, 'said meanwhile'), letIn],
    shows: 'said meanwhile',
  },
  'someone leaves a private channel on another device': {
    before: letIn,
    path: inHidden,
    happen: [({ bob, hidden }) => done(bob.delete(`/api/channels/${hidden}/members/${bob.id}`))],
    shows: 'This channel is private',
  },
  'someone is removed from an open channel': {
    path: inPlans,
    happen: [({ alice, bob, plans }) => done(alice.delete(`/api/channels/${plans}/members/${bob.id}`))],
    shows: 'Join',
  },
  'someone is removed from an open channel and enters it again': {
    path: inPlans,
    happen: [
      ({ alice, bob, plans }) => done(alice.delete(`/api/channels/${plans}/members/${bob.id}`)),
      ({ bob, plans }) => done(bob.post(`/api/channels/${plans}/members`, { userId: bob.id })),
    ],
    shows: 'the plan',
  },
  'everyone may no longer view a channel': {
    path: inPlans,
    happen: [everyone('plans', noView)],
    shows: 'This channel is private',
  },
  'everyone may view a channel': { path: inHidden, happen: [everyone('hidden', view)], shows: 'the secret' },
  'everyone may view a channel no longer, then again': {
    path: inPlans,
    happen: [everyone('plans', noView), everyone('plans', view)],
    shows: 'the plan',
  },
  'someone alone may not view a channel': {
    path: inPlans,
    happen: [own('plans', noView)],
    shows: 'Conversation not found',
  },
  'someone alone may view a private channel': { path: inHidden, happen: [own('hidden', view)], shows: 'the secret' },
  'someone becomes an admin': {
    path: ({ server }) => `/app/s/${server.id}/manage/channels`,
    happen: [role('admin')],
    shows: 'hidden',
  },
  'someone is no admin any more': {
    before: role('admin'),
    path: ({ server }) => `/app/s/${server.id}/manage/channels`,
    happen: [role('member')],
    shows: 'Members · 2',
  },
  'a channel is made': {
    path: inGeneral,
    happen: [({ alice, at }) => done(alice.post(`${at}/channels`, { name: 'brand-new' }))],
    shows: 'brand-new',
  },
  'a channel is deleted': {
    path: inPlans,
    happen: [({ alice, plans }) => done(alice.delete(`/api/channels/${plans}`))],
    shows: 'Conversation not found',
  },
  'a channel is archived': {
    path: inPlans,
    happen: [({ alice, plans }) => done(alice.post(`/api/channels/${plans}/archive`))],
    shows: 'the plan',
  },
  'a channel is archived and brought back': {
    path: inPlans,
    happen: [
      ({ alice, plans }) => done(alice.post(`/api/channels/${plans}/archive`)),
      ({ alice, plans }) => done(alice.post(`/api/channels/${plans}/unarchive`)),
    ],
    shows: 'the plan',
  },
  'a channel moves into a category': {
    path: inGeneral,
    happen: [
      async ({ alice, at, plans }) => {
        const { id } = await done(alice.post(`${at}/categories`, { name: 'Upstairs' }));
        const positions = [{ id: plans, position: 9, categoryId: id }];
        await done(alice.patch(`${at}/channels/positions`, { positions }));
      },
    ],
    shows: 'Upstairs',
  },
  'others join and leave': {
    path: ({ server }) => `/app/s/${server.id}/manage/members`,
    happen: [
      async ({ alice, carol: person, at }) => {
        const { inviteCode } = (await alice.get(at)).body;
        await done(person.post(`${at}/join`, { inviteCode }));
      },
    ],
    shows: 'Members · 3',
  },
  'a group is made': {
    before: joined,
    path: () => '/app/friends',
    happen: [
      ({ alice, bob, carol: person }) =>
        done(alice.post('/api/dm/channels', { userIds: [bob.id, person.id], name: 'Chess' })),
    ],
    shows: 'Chess',
  },
};

/** Carol is in the server, too. */
async function joined({ alice, carol: person, at }: Scene): Promise<void> {
  const { inviteCode } = (await alice.get(at)).body;
  await done(person.post(`${at}/join`, { inviteCode }));
}

/** All that a page shows of servers, channels and what is said in them. */
const shown = (page: Page): Promise<string> =>
  page.evaluate(
    `[
      location.pathname,
      ...[...document.querySelectorAll('.rail a')].map((one) => one.getAttribute('title')),
      ...[...document.querySelectorAll('.rail .badge, .panel .list, main')].map((one) => one.innerText.trim()),
    ].join('\\n')`,
  );

/** Headings are in capitals. */
const has = (text: string, words: string): boolean => text.toLowerCase().includes(words.toLowerCase());

/** Each event of membership leads to what a page shows that is loaded after it. */
describe('a page that is shown while someone’s membership changes', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await scenery();
  });
  afterEach(() => scene.close());

  for (const [title, one] of Object.entries(cases)) {
    it(`shows what a new page does: ${title}`, async () => {
      const who = one.who?.(scene) ?? scene.bob;
      await one.before?.(scene);
      const path = one.path(scene);
      const live = await scene.visit(who);
      await live.open(path);
      await until(async () => (await shown(live.page)).length > 60);
      for (const happen of one.happen) {
        if (typeof happen !== 'string') await happen(scene);
        else await until(async () => has(await shown(live.page), happen), { message: `no ${happen}` });
      }
      const fresh = await scene.visit(who);
      await fresh.open(path);
      await until(async () => has(await shown(fresh.page), one.shows), { message: `no ${one.shows}` });
      let [was, is] = ['', ''];
      await until(async () => {
        [was, is] = await Promise.all([shown(live.page), shown(fresh.page)]);
        return was === is;
      }).catch(() => expect(was).to.equal(is));
      expect(live.complaints).to.deep.equal([]);
    });
  }

  async function scenery(): Promise<Scene> {
    const here = await webWorld();
    const { alice, server, channel } = here;
    const at = `/api/servers/${server.id}`;
    const said = await alice.say(channel.id, 'the first words');
    const { id: thread } = await done(alice.post(`/api/messages/${said.id}/thread`, { name: 'Aside' }));
    await done(alice.post(`/api/threads/${thread}/messages`, { content: 'the aside' }));
    const { id: categoryId } = await done(alice.post(`${at}/categories`, { name: 'Cellar' }));
    const { id: hidden } = await done(alice.post(`${at}/channels`, { name: 'hidden', isPrivate: true, categoryId }));
    await alice.say(hidden, 'the secret');
    const { id: plans } = await done(alice.post(`${at}/channels`, { name: 'plans' }));
    await alice.say(plans, 'the plan');
    return { ...here, at, hidden, plans, thread };
  }
});
