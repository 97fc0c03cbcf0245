import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChannelRecord } from '../../../../client/index.ts';
import { type Destination, destinationsOf } from '../../state/destinations.ts';
import { useKnown } from '../people/PeoplePicker.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { mayWriteIn } from './permissions.ts';

/** Where the user may write. */
export interface Place extends Pick<Destination, 'name' | 'about' | 'count'> {
  key: string;
  /** Undefined: there is no conversation yet. */
  href: string | undefined;
  /** Opens the conversation if there is none yet. @returns the id of its channel */
  open(): Promise<string>;
}

/**
 * Everywhere the user may write: channels of all their servers, conversations, and people with whom they have none yet; of
 * these friends, and whoever has the name that is typed.
 */
export function usePlaces(typed: string): Place[] {
  const texts = useTexts();
  const app = useApp();
  const { client, me, people, servers, unread } = app;
  const channels = useAllChannels();
  const known = useKnown(typed);
  const blocked = new Set(people.blocks.value.map(({ userId }) => userId));
  const dms = people.dms.value.filter((dm) => dm.kind === 'group' || !blocked.has(dm.otherUser.id));
  const writable = new Map([...channels].map(([id, list]) => [id, list.filter((one) => mayWriteIn(app, one))]));
  const there = destinationsOf({
    servers: servers.list.value,
    channels: writable,
    dms,
    ownId: me.value?.id,
    unread: unread.counts.value,
    texts,
  }).flatMap(({ channelId, ...one }): Place[] =>
    channelId === null ? [] : [{ ...one, key: channelId, open: async () => channelId }],
  );
  const met = new Set(people.dms.value.flatMap((dm) => (dm.kind === 'dm' ? [dm.otherUser.id] : [])));
  const others = known
    .filter(({ id }) => !met.has(id) && !blocked.has(id))
    .map(({ id, displayName, username }): Place => {
      const open = async () => (await client.rest('POST /api/dm/channels', { body: { userId: id } })).id;
      return { key: id, href: undefined, name: displayName, about: `@${username}`, count: 0, open };
    });
  return [...there, ...others];
}

/** The channels of all servers, also of those that were not visited. */
export function useAllChannels(): ReadonlyMap<string, readonly ChannelRecord[]> {
  const { servers } = useApp();
  const known = servers.channels.value;
  const [read, setRead] = useState<ReadonlyMap<string, readonly ChannelRecord[]>>(new Map());
  useEffect(() => readOthers(servers, setRead), []);
  return useMemo(() => new Map([...read, ...known]), [read, known]);
}

type Channels = ReadonlyMap<string, readonly ChannelRecord[]>;

/** Reads those that are not known, without following what happens there. @returns stops it */
function readOthers(servers: AppState['servers'], show: (more: (before: Channels) => Channels) => void): () => void {
  let isOver = false;
  const read = async () => {
    for (const { id } of servers.list.peek()) {
      if (isOver) return;
      if (servers.channels.peek().has(id)) continue;
      // The others are found all the same.
      const list = await servers.readChannels(id).catch(() => []);
      show((before) => new Map(before).set(id, list));
    }
  };
  void read();
  return () => {
    isOver = true;
  };
}
