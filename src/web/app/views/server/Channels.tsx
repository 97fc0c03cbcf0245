import { useState } from 'preact/hooks';
import type { ChannelRecord, ServerRecord } from '../../../../client/index.ts';
import { moveCategory, moveChannel } from '../../state/arranging.ts';
import { type CategoryRecord, sectionsOf } from '../../state/categories.ts';
import type { Texts } from '../../state/texts.ts';
import { channelIcon } from '../frame/Entry.tsx';
import { Button, IconButton } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { Block, Row } from '../parts/Page.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { CategoryDialogs, type CategoryTask } from './CategoryDialogs.tsx';
import { ChannelDialogs, type ChannelTask, CreateChannel } from './ChannelDialogs.tsx';
import { channelTasks } from './channel-tasks.ts';

/** All channels of a server that the user sees, category by category. */
export function Channels({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { servers, categories, client, rights } = useApp();
  const [creating, setCreating] = useState(false);
  const [task, setTask] = useState<ChannelTask | null>(null);
  const [arranged, setArranged] = useState<CategoryTask | null>(null);
  const list = servers.channels.value.get(server.id) ?? [];
  const archived = useLoaded(
    () => client.rest('GET /api/servers/:serverId/channels/archived', { serverId: server.id }),
    [server.id, list.length],
  );
  const known = categories.of(server.id);
  const sections = sectionsOf({ serverId: server.id, channels: list, categories: known, favorites: [] });
  const [, loose, ...grouped] = sections;
  return (
    <>
      <Block title={t('Channels · {count}', { count: list.length })}>
        <ChannelRows server={server} list={loose?.channels ?? []} onTask={setTask} onArrange={setArranged} />
        {rights.may(server, 'channel:create') && <Button label={t('New channel')} onClick={() => setCreating(true)} />}
      </Block>
      {grouped.map(({ category, channels }) =>
        category ? (
          <Block key={category.id} title={category.name}>
            <CategoryActions server={server} category={category} onArrange={setArranged} />
            <ChannelRows server={server} list={channels} onTask={setTask} onArrange={setArranged} />
          </Block>
        ) : null,
      )}
      {rights.may(server, 'channel:order') && (
        <Block title={t('Categories')} about={t('Group channels under headings that everyone sees.')}>
          <Button label={t('New category')} onClick={() => setArranged({ what: 'create', serverId: server.id })} />
        </Block>
      )}
      {archived.value && archived.value.length > 0 && (
        <Archived server={server} list={archived.value} onTask={setTask} />
      )}
      {creating && <CreateChannel serverId={server.id} onClose={() => setCreating(false)} />}
      {task && <ChannelDialogs task={task} onClose={() => setTask(null)} />}
      {arranged && <CategoryDialogs task={arranged} onClose={() => setArranged(null)} />}
    </>
  );
}

interface CategoryActionsProps {
  server: ServerRecord;
  category: CategoryRecord;
  onArrange(task: CategoryTask): void;
}

/** What can be done with a category, for those who order channels. */
function CategoryActions({ server, category, onArrange }: CategoryActionsProps) {
  const { t } = useTexts();
  const app = useApp();
  const { rights, categories, attempt } = app;
  if (!rights.may(server, 'channel:order')) return null;
  const { id, name } = category;
  const all = categories.of(server.id);
  const at = all.findIndex((one) => one.id === id);
  const move = (before: string | undefined) => void attempt(() => moveCategory(app, server.id, id, before ?? null));
  return (
    <p class="arrange">
      <IconButton
        icon="up"
        label={t('Move {name} up', { name })}
        disabled={at === 0}
        onClick={() => move(all[at - 1]?.id)}
      />
      <IconButton
        icon="down"
        label={t('Move {name} down', { name })}
        disabled={at === all.length - 1}
        onClick={() => move(all[at + 2]?.id)}
      />
      <Button
        label={t('Rename')}
        kind="quiet"
        onClick={() => onArrange({ what: 'rename', serverId: server.id, category })}
      />
      <Button
        label={t('Delete')}
        kind="danger"
        onClick={() => onArrange({ what: 'delete', serverId: server.id, category })}
      />
    </p>
  );
}

interface ChannelRowsProps {
  server: ServerRecord;
  list: readonly ChannelRecord[];
  onTask(task: ChannelTask): void;
  onArrange(task: CategoryTask): void;
}

/** The channels of a category, or those in none. */
function ChannelRows({ server, list, onTask, onArrange }: ChannelRowsProps) {
  const app = useApp();
  return (
    <ul class="people">
      {list.map((channel, i) => (
        <ChannelRow
          key={channel.id}
          channel={channel}
          server={server}
          onMove={(by) => {
            const before = list[by < 0 ? i - 1 : i + 2]?.id ?? null;
            const { id, categoryId } = channel;
            void app.attempt(() => moveChannel(app, server.id, id, { categoryId, before }));
          }}
          isFirst={i === 0}
          isLast={i === list.length - 1}
          onTask={onTask}
          onArrange={onArrange}
        />
      ))}
    </ul>
  );
}

interface ChannelRowProps {
  channel: ChannelRecord;
  server: ServerRecord;
  isFirst: boolean;
  isLast: boolean;
  onMove(by: number): void;
  onTask(task: ChannelTask): void;
  onArrange(task: CategoryTask): void;
}

function ChannelRow({ channel, server, isFirst, isLast, onMove, onTask, onArrange }: ChannelRowProps) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const place: MenuItem | false = app.rights.may(server, 'channel:order') &&
    app.categories.of(server.id).length > 0 && {
      label: t('Move to a category'),
      icon: 'folder',
      run: () => onArrange({ what: 'place', serverId: server.id, channel }),
    };
  const items = [...actionsFor(texts, app, channel, onTask), ...(place ? [place] : [])];
  return (
    <Row
      picture={<Icon name={channelIcon(channel)} />}
      name={channel.name}
      about={channel.topic ?? (channel.isPrivate ? t('Private') : undefined)}
    >
      {app.rights.may(server, 'channel:order') && (
        <>
          <IconButton
            icon="up"
            label={t('Move {name} up', { name: channel.name })}
            disabled={isFirst}
            onClick={() => onMove(-1)}
          />
          <IconButton
            icon="down"
            label={t('Move {name} down', { name: channel.name })}
            disabled={isLast}
            onClick={() => onMove(1)}
          />
        </>
      )}
      {items.length > 0 && (
        <Menu label={t('Actions for {name}', { name: channel.name })} items={items}>
          <Icon name="more" />
        </Menu>
      )}
    </Row>
  );
}

function actionsFor(
  texts: Texts,
  app: AppState,
  channel: ChannelRecord,
  onTask: (task: ChannelTask) => void,
): MenuItem[] {
  const { t } = texts;
  const { isPrivate, isMember } = channel;
  const mayJoin = !isMember && (!isPrivate || app.rights.mayIn(channel, 'channel:add-member'));
  const { edit, permissions, hooks, keep, archive, remove } = channelTasks(texts, app, channel, onTask);
  const members: MenuItem = { label: t('Members'), icon: 'friends', run: () => onTask({ what: 'members', channel }) };
  const enter: MenuItem = { label: t('Join'), icon: 'add', run: () => void join(app, channel) };
  return [edit, permissions, hooks, keep, isPrivate && isMember && members, mayJoin && enter, archive, remove].filter(
    (item) => item !== false,
  );
}

/** Admins see private channels that they are not in, and may join them. */
const join = (app: AppState, { id, serverId }: ChannelRecord) =>
  app.attempt(async () => {
    await app.client.rest('POST /api/channels/:id/members', { id, body: { userId: app.me.value?.id ?? '' } });
    if (serverId) await app.servers.loadChannels(serverId);
  });

interface ArchivedProps {
  server: ServerRecord;
  list: ChannelRecord[];
  onTask(task: ChannelTask): void;
}

function Archived({ server, list, onTask }: ArchivedProps) {
  const { t } = useTexts();
  const { attempt, client, servers, rights } = useApp();
  const unarchive = (id: string) =>
    attempt(async () => {
      await client.rest('POST /api/channels/:id/unarchive', { id });
      await servers.loadChannels(server.id);
    });
  return (
    <Block
      title={t('Archived · {count}', { count: list.length })}
      about={t('They are kept, but nobody can write in them any more.')}
    >
      <ul class="people">
        {list.map((channel) => (
          <Row key={channel.id} picture={<Icon name="archive" />} name={channel.name}>
            {rights.mayIn(channel, 'channel:archive') && (
              <Button label={t('Unarchive')} kind="quiet" onClick={() => void unarchive(channel.id)} />
            )}
            {rights.mayIn(channel, 'channel:delete') && (
              <Button label={t('Delete')} kind="danger" onClick={() => onTask({ what: 'delete', channel })} />
            )}
          </Row>
        ))}
      </ul>
    </Block>
  );
}
