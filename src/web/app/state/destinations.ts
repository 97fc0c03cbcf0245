import type { ChannelRecord, ServerRecord } from '../../../client/index.ts';
import { type DmChannel, nameOf } from './groups.ts';
import { pathTo } from './router.ts';
import { isReadable } from './servers.ts';
import type { Texts } from './texts.ts';

/** A conversation or server to navigate to. */
export interface Destination {
  /** Null: a server. */
  channelId: string | null;
  href: string;
  name: string;
  about: string;
  /** How many messages are unread there. */
  count: number;
}

/** The lists that destinations are made of. */
export interface Known {
  servers: readonly ServerRecord[];
  /** By server. */
  channels: ReadonlyMap<string, readonly ChannelRecord[]>;
  dms: readonly DmChannel[];
  /** Id of the user. */
  ownId: string | undefined;
  /** By channel. */
  unread: ReadonlyMap<string, number>;
  texts: Texts;
}

/** Channels first, then people, then servers. */
export function destinationsOf({ servers, channels, dms, unread, ownId, texts }: Known): Destination[] {
  const count = (id: string) => unread.get(id) ?? 0;
  const inServers = servers.flatMap((server) =>
    (channels.get(server.id) ?? []).filter(isReadable).map(({ id, name }) => ({
      channelId: id,
      href: pathTo.channel(server.id, id),
      name: `#${name}`,
      about: server.name,
      count: count(id),
    })),
  );
  const people = dms.map((dm) => ({
    channelId: dm.id,
    href: pathTo.channel(null, dm.id),
    name: nameOf(texts, dm, ownId),
    about: dm.kind === 'group' ? texts.t('Group') : `@${dm.otherUser.username}`,
    count: count(dm.id),
  }));
  const places = servers.map(({ id, name }) => {
    return { channelId: null, href: pathTo.server(id), name, about: texts.t('Server'), count: 0 };
  });
  return [...inServers, ...people, ...places];
}
