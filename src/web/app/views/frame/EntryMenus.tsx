import { useState } from 'preact/hooks';
import type { ChannelRecord, ServerRecord } from '../../../../client/index.ts';
import type { CategoryRecord } from '../../state/categories.ts';
import type { EntryMenu, MenuOf } from '../../state/entry-menu.ts';
import { type DmChannel, nameOf } from '../../state/groups.ts';
import type { Texts } from '../../state/texts.ts';
import type { DmTask } from '../people/dm-tasks.ts';
import { DmDialogs } from '../people/GroupDialogs.tsx';
import { CategoryDialogs, type CategoryTask } from '../server/CategoryDialogs.tsx';
import { ChannelDialogs, type ChannelTask, CreateChannel } from '../server/ChannelDialogs.tsx';
import { InvitePeople } from '../server/InvitePeople.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { ContextMenu, type MenuGroup } from './ContextMenu.tsx';
import { categoryGroups, channelGroups, dmGroups, homeGroups, serverGroups } from './entry-items.ts';

/** What was chosen in a menu and goes on in a dialog. */
export type EntryTask =
  | { kind: 'channel'; task: ChannelTask }
  | { kind: 'category'; task: CategoryTask }
  | { kind: 'dm'; dm: DmChannel; task: DmTask }
  | { kind: 'create'; serverId: string; categoryId: string | null }
  | { kind: 'invite'; server: ServerRecord };

/** The menus of the lists beside the conversation, and the dialogs that they lead to. */
export function EntryMenus({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const app = useApp();
  const [task, setTask] = useState<EntryTask | null>(null);
  const menu = app.entryMenu.value;
  const shown = menu && menuOf(texts, app, menu.of, setTask);
  return (
    <>
      {menu && shown && <ContextMenu key={keyOf(menu)} at={menu.at} {...shown} onClose={onClose} />}
      {task && <TaskDialog task={task} onClose={() => setTask(null)} />}
    </>
  );
}

const keyOf = ({ of, at }: EntryMenu): string => `${Object.values(of).join(' ')} ${at.x} ${at.y}`;

interface Shown {
  label: string;
  groups: MenuGroup[];
}

/** @returns null: what it is of is gone */
function menuOf(texts: Texts, app: AppState, of: MenuOf, onTask: (task: EntryTask) => void): Shown | null {
  const found = groupsOf(texts, app, of, onTask);
  if (!found) return null;
  return { label: found.label, groups: found.groups.filter(({ items }) => items.length > 0) };
}

function groupsOf(texts: Texts, app: AppState, of: MenuOf, onTask: (task: EntryTask) => void): Shown | null {
  const { t } = texts;
  if (of.kind === 'home') return { label: t('Friends and messages'), groups: homeGroups(texts, app) };
  if (of.kind === 'dm') {
    const dm = app.people.dms.value.find(({ id }) => id === of.channelId);
    return dm ? { label: nameOf(texts, dm, app.me.value?.id), groups: dmGroups(texts, app, dm, onTask) } : null;
  }
  const server = app.servers.list.value.find(({ id }) => id === of.serverId);
  if (!server) return null;
  if (of.kind === 'server') return { label: server.name, groups: serverGroups(texts, app, server, onTask) };
  if (of.kind === 'category') {
    const category = categoryOf(app, of);
    return category && { label: category.name, groups: categoryGroups(texts, app, { server, category }, onTask) };
  }
  const channel = channelOf(app, of);
  return channel && { label: channel.name, groups: channelGroups(texts, app, { server, channel }, onTask) };
}

const categoryOf = (app: AppState, of: MenuOf & { kind: 'category' }): CategoryRecord | null =>
  app.categories.of(of.serverId).find(({ id }) => id === of.categoryId) ?? null;

const channelOf = (app: AppState, of: MenuOf & { kind: 'channel' }): ChannelRecord | null =>
  app.servers.channels.value.get(of.serverId)?.find(({ id }) => id === of.channelId) ?? null;

function TaskDialog({ task, onClose }: { task: EntryTask; onClose(): void }) {
  switch (task.kind) {
    case 'channel':
      return <ChannelDialogs task={task.task} onClose={onClose} />;
    case 'category':
      return <CategoryDialogs task={task.task} onClose={onClose} />;
    case 'dm':
      return <DmDialogs dm={task.dm} task={task.task} onClose={onClose} />;
    case 'create':
      return <CreateChannel serverId={task.serverId} categoryId={task.categoryId} onClose={onClose} />;
    case 'invite':
      return <InvitePeople server={task.server} onClose={onClose} />;
  }
}
