import { dms } from './people.ts';
import { pathTo } from './router.ts';
import { channels, isReadable, servers } from './servers.ts';
import { unread } from './unread.ts';

/** A place to go to. */
export interface Goal {
  /** Null: a server. */
  channelId: string | null;
  href: string;
  name: string;
  about: string;
  /** How many messages are unread there. */
  count: number;
}

const most = 8;

/**
 * The places that match a text by their own name or their parent's: own names with that prefix first, then own names that
 * contain it, and among these unread ones. Without a text, all of them.
 */
export function goalsFor(typed: string): Goal[] {
  const text = typed.trim().replace(/^[#@]/, '').toLocaleLowerCase();
  const rank = ({ name, count }: Goal) =>
    (startsWith(name, text) ? 4 : 0) + (holds(name, text) ? 2 : 0) + (count > 0 ? 1 : 0);
  const fitting = allGoals().filter(({ name, about }) => holds(name, text) || holds(about, text));
  return fitting.sort((a, b) => rank(b) - rank(a)).slice(0, most);
}

/** The conversation with this id, if there is one. */
export const goalOf = (channelId: string): Goal | undefined => allGoals().find((goal) => goal.channelId === channelId);

const startsWith = (name: string, text: string): boolean => name.replace(/^#/, '').toLocaleLowerCase().startsWith(text);
const holds = (name: string, text: string): boolean => name.toLocaleLowerCase().includes(text);

function allGoals(): Goal[] {
  const people = dms.value.map(({ id, otherUser }) => ({
    channelId: id,
    href: pathTo.channel(null, id),
    name: otherUser.displayName,
    about: `@${otherUser.username}`,
    count: unread.value.get(id) ?? 0,
  }));
  const talks = servers.value.flatMap(({ id, name }) => talksIn(id, name));
  const places = servers.value.map(({ id, name }) => {
    return { channelId: null, href: pathTo.server(id), name, about: 'Server', count: 0 };
  });
  return [...talks, ...people, ...places];
}

function talksIn(serverId: string, server: string): Goal[] {
  const list = channels.value.get(serverId)?.filter(isReadable) ?? [];
  return list.map(({ id, name }) => ({
    channelId: id,
    href: pathTo.channel(serverId, id),
    name: `#${name}`,
    about: server,
    count: unread.value.get(id) ?? 0,
  }));
}
