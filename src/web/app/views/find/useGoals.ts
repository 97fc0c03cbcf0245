import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { saidIn } from '../../../../contract/quote.ts';
import { type Destination, destinationsOf } from '../../state/destinations.ts';
import { type Fit, type Ranked, ranked } from '../../state/fuzzy.ts';
import type { SmallUser } from '../../state/groups.ts';
import { pathTo } from '../../state/router.ts';
import { noFilters } from '../../state/search-terms.ts';
import type { Texts } from '../../state/texts.ts';
import type { Task } from '../frame/Switcher.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { useKnown } from '../people/PeoplePicker.tsx';
import { useAllChannels } from '../talk/usePlaces.ts';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { type ActionGoal, actionGoals } from './action-goals.ts';

/** Something that the switcher leads to. */
export interface Goal {
  key: string;
  name: string;
  about: string;
  marks: Fit['marks'];
  icon?: IconName;
  /** Shown by their picture. */
  user?: SmallUser | undefined;
  /** How many messages are unread there. */
  count: number;
  channelId?: string | null;
  run(): void;
}

export interface GoalGroup {
  name: string;
  list: readonly Goal[];
}

type FoundMessage = RestAnswer<'GET /api/search/messages'>[number];

/** How many of each kind are shown. */
const most = { places: 7, people: 4, actions: 4, messages: 4 };
const mostOfOneKind = 12;

/** What a text may mean: conversations and servers, people, actions and messages, the best group first. */
export function useGoals(typed: string, onTask: (task: Task) => void): { groups: GoalGroup[]; isSearching: boolean } {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const kind = kindOf(typed);
  const text = kind === null ? typed.trim() : typed.trim().slice(1).trim();
  const places = usePlaceGoals(text, kind);
  const people = usePeopleGoals(text);
  const { found, isSearching } = useMessages(kind === null ? text : '');
  const actions = text === '' && kind !== 'actions' ? [] : ranked(actionGoals(texts, app, onTask), text);
  const room = (of: keyof typeof most) => (kind === null ? most[of] : mostOfOneKind);
  const groups = [
    { kind: 'places' as const, name: t('Conversations'), list: places },
    { kind: 'people' as const, name: t('People'), list: text === '' && kind === null ? [] : people },
    { kind: 'actions' as const, name: t('Actions'), list: actions.map(asGoal) },
  ]
    .filter((group) => kind === null || group.kind === kind || (kind === 'people' && group.kind === 'places'))
    .map((group) => ({ ...group, list: group.list.slice(0, room(group.kind)) }))
    .filter(({ list }) => list.length > 0)
    .sort((a, b) => (b.list[0]?.score ?? 0) - (a.list[0]?.score ?? 0));
  if (kind !== null || text === '') return { groups, isSearching };
  const messages = [...found.map((one) => messageGoal(app, one)), searchGoal(texts, app, text)];
  return { groups: [...groups, { name: t('Messages'), list: messages }], isSearching };
}

/** Leads to all messages with these words, in the panel beside the page. */
function searchGoal({ t }: Texts, { panel }: AppState, words: string): Goal {
  const run = () => panel.search({ words, serverId: null, filters: noFilters, sort: 'time' });
  const name = t('Search messages for “{words}”', { words });
  return { key: 'search', name, about: '', marks: [], icon: 'search', count: 0, run };
}

/** What the first sign of a text narrows it to. */
function kindOf(typed: string): keyof typeof most | null {
  const signs = { '#': 'places', '@': 'people', '>': 'actions' } as const;
  const [sign = ''] = typed.trimStart();
  return sign === '#' || sign === '@' || sign === '>' ? signs[sign] : null;
}

const asGoal = (one: Ranked<ActionGoal>): Goal & { score: number } => one;

/** Channels of all servers, direct conversations and servers. @param kind people: conversations with them alone */
function usePlaceGoals(text: string, kind: keyof typeof most | null): (Goal & { score: number })[] {
  const app = useApp();
  const { servers, people, me, unread, navigate } = app;
  const channels = useAllChannels();
  const all = destinationsOf({
    servers: servers.list.value,
    channels,
    dms: people.dms.value,
    ownId: me.value?.id,
    unread: unread.counts.value,
    texts: useTexts(),
  });
  const others = new Map(people.dms.value.flatMap((dm) => (dm.kind === 'dm' ? [[dm.id, dm.otherUser] as const] : [])));
  const isWanted = ({ channelId, name }: Destination) => {
    if (kind === 'places') return name.startsWith('#');
    return kind !== 'people' || (channelId !== null && !name.startsWith('#'));
  };
  return ranked(all.filter(isWanted), text).map((one) => ({
    ...one,
    key: one.href,
    icon: iconOf(one),
    user: others.get(one.channelId ?? ''),
    run: () => navigate(one.href),
  }));
}

function iconOf({ channelId, name }: Destination): IconName {
  if (channelId === null) return 'home';
  return name.startsWith('#') ? 'hash' : 'friends';
}

/** People with whom there is no conversation yet. */
function usePeopleGoals(text: string): (Goal & { score: number })[] {
  const { people, attempt } = useApp();
  const known = useKnown(text);
  const met = new Set(people.dms.value.flatMap((dm) => (dm.kind === 'dm' ? [dm.otherUser.id] : [])));
  const others = known
    .filter(({ id }) => !met.has(id))
    .map((user) => ({ user, name: user.displayName, about: `@${user.username}`, count: 0 }));
  return ranked(others, text).map((one) => ({
    ...one,
    key: one.user.id,
    run: () => void attempt(() => people.talkTo(one.user.id)),
  }));
}

/** From how many letters on messages are looked for, and how long nothing is typed before. */
const fewest = 2;
const pauseMs = 300;

function useMessages(words: string) {
  const { client, surroundings } = useApp();
  const [found, setFound] = useState<readonly FoundMessage[]>([]);
  const [isSearching, setSearching] = useState(false);
  useEffect(() => {
    setFound([]);
    setSearching(words.length >= fewest);
    if (words.length < fewest) return;
    let isOver = false;
    const timer = setTimeout(async () => {
      const query = { query: words, limit: most.messages, timeZone: surroundings.timeZone };
      // Without messages one goes to all else.
      const answer = await client.rest('GET /api/search/messages', { query }).catch(() => []);
      if (isOver) return;
      setFound(answer);
      setSearching(false);
    }, pauseMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [words]);
  return { found, isSearching };
}

function messageGoal({ navigate }: AppState, message: FoundMessage): Goal {
  const { id, author, channelName, serverId, excerpt } = message;
  const isText = excerpt.text !== '';
  return {
    key: id,
    name: isText ? excerpt.text : saidIn(message),
    marks: isText ? excerpt.marks : [],
    about: channelName === null ? author.displayName : `${author.displayName}, #${channelName}`,
    user: author,
    count: 0,
    run: () => navigate(pathTo.messageOrThread(serverId, message)),
  };
}
