import type { ReadonlySignal } from '@preact/signals';
import type { OwnUser } from '../../../client/index.ts';
import { withNames } from '../../../contract/quote.ts';
import { othersIn } from './groups.ts';
import type { People } from './people.ts';
import type { Profiles } from './profiles.ts';
import type { Servers } from './servers.ts';
import type { Texts } from './texts.ts';

/** Where names are looked up. */
interface Known {
  me: ReadonlySignal<OwnUser | null>;
  people: Pick<People, 'dms' | 'friends'>;
  profiles: Pick<Profiles, 'nameOf'>;
  servers: Pick<Servers, 'channels'>;
}

/** What someone is called; undefined: not known yet, or there is nobody with this id. */
export function userNamed({ me, people, profiles }: Known, id: string): string | undefined {
  if (me.value?.id === id) return me.value.displayName;
  const friend = people.friends.value.find(({ friendId }) => friendId === id)?.user;
  const partner = () => people.dms.value.flatMap((dm) => othersIn(dm, me.value?.id)).find((other) => other.id === id);
  return (friend ?? partner())?.displayName ?? profiles.nameOf(id);
}

/** A channel that the user sees. */
interface Place {
  name: string;
  serverId: string;
}

/** The channel with an id; undefined: there is none that the user sees. */
export function channelNamed({ servers }: Pick<Known, 'servers'>, id: string): Place | undefined {
  for (const [serverId, channels] of servers.channels.value) {
    const found = channels.find((channel) => channel.id === id);
    if (found) return { name: found.name, serverId };
  }
  return undefined;
}

const byId = /<([@#])([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})>/g;
const inBrackets = /<(#[^\s<>#][^\n<>]{0,98}[^\s<>])>/g;

/**
 * A text with names in place of ids, for what shows it apart from its message.
 * @param mentions of the message, where they are known
 */
export function namedText(
  app: Known,
  { t }: Texts,
  text: string,
  mentions: readonly { token: string; label: string }[] = [],
): string {
  if (!text.includes('<')) return text;
  const nameOf = (sign: string, id: string) =>
    sign === '@' ? (userNamed(app, id) ?? t('unknown user')) : (channelNamed(app, id)?.name ?? t('unknown channel'));
  return withNames(text, mentions)
    .replace(byId, (_, sign: string, id: string) => sign + nameOf(sign, id))
    .replace(inBrackets, '$1');
}
