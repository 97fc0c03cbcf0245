import type { ChannelRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { ChannelPermission } from '../../state/rights.ts';
import { isReadable } from '../../state/servers.ts';
import type { AppState } from '../useApp.ts';

/** Why the user cannot do something in a channel, to be shown in its place. */
export const withheld: Record<'post' | 'announce' | 'files' | 'react', Message> = {
  post: 'You can read this channel, but your role does not let you write here.',
  announce: 'Only the people who run the server can write here.',
  files: 'Your role does not let you add files here.',
  react: 'Your role does not let you react here.',
};

/** The channel of the server at the address, if it is known; null also for direct messages. */
export function channelAt({ route, servers, timelines }: AppState, channelId: string): ChannelRecord | null {
  const here = route.value;
  if (here.name !== 'channel') return null;
  const listed = servers.channels.value.get(here.serverId)?.find(({ id }) => id === channelId);
  return listed ?? timelines.visited.value.get(channelId) ?? null;
}

/** Whether to offer what members usually may do: everywhere but where it is known that the user may not. */
export function mayUsually(app: AppState, channelId: string, permission: ChannelPermission): boolean {
  const channel = channelAt(app, channelId);
  return channel === null || app.rights.mayIn(channel, permission);
}

/** Whether to offer what few may do: only where it is known that the user may. */
export function mayModerate(app: AppState, channelId: string, permission: ChannelPermission): boolean {
  const channel = channelAt(app, channelId);
  return channel !== null && app.rights.mayIn(channel, permission);
}

/** Whether the user can write in a channel of a server now. */
export function mayWriteIn({ rights }: AppState, channel: ChannelRecord): boolean {
  const isOpen = channel.type !== 'announcement' || rights.mayIn(channel, 'channel:announce');
  return isReadable(channel) && !channel.isArchived && isOpen && rights.mayIn(channel, 'message:post');
}
