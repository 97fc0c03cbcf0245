import type { ChannelRecord } from '../../../../client/index.ts';
import type { Texts } from '../../state/texts.ts';
import type { MenuItem } from '../parts/Menu.tsx';
import type { AppState } from '../useApp.ts';
import type { ChannelTask } from './ChannelDialogs.tsx';

/** What the user may do with a channel, as items of a menu; false where they may not. */
export function channelTasks({ t }: Texts, app: AppState, channel: ChannelRecord, onTask: (task: ChannelTask) => void) {
  const { rights, servers } = app;
  const server = servers.list.value.find(({ id }) => id === channel.serverId);
  const item = (isAllowed: boolean, what: ChannelTask['what'], shown: Omit<MenuItem, 'run'>): MenuItem | false =>
    isAllowed && { ...shown, run: () => onTask({ what, channel }) };
  return {
    edit: item(rights.mayIn(channel, 'channel:update'), 'edit', { label: t('Edit the channel'), icon: 'edit' }),
    permissions: item(rights.mayIn(channel, 'channel:override'), 'permissions', {
      label: t('Permissions'),
      icon: 'key',
    }),
    hooks: item(rights.mayIn(channel, 'channel:update'), 'hooks', { label: t('Incoming webhooks'), icon: 'link' }),
    keep: item(rights.may(server, 'retention:set'), 'keep', { label: t('How long messages are kept'), icon: 'chat' }),
    archive: item(rights.mayIn(channel, 'channel:archive'), 'archive', {
      label: t('Archive the channel'),
      icon: 'archive',
    }),
    remove: item(rights.mayIn(channel, 'channel:delete'), 'delete', {
      label: t('Delete the channel'),
      icon: 'trash',
      danger: true,
    }),
  };
}
