import { useState } from 'preact/hooks';
import type { ChannelRecord, ServerRecord } from '../../../../client/index.ts';
import type { Texts } from '../../state/texts.ts';
import { channelIcon } from '../frame/Entry.tsx';
import { Button, IconButton } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { Block, Row } from '../parts/Page.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { ChannelDialogs, type ChannelTask, CreateChannel } from './ChannelDialogs.tsx';
import { channelTasks } from './channel-tasks.ts';

/** All channels of a server that the user sees, in their order. */
export function Channels({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const app = useApp();
  const { servers, client, rights } = app;
  const [creating, setCreating] = useState(false);
  const [task, setTask] = useState<ChannelTask | null>(null);
  const list = servers.channels.value.get(server.id) ?? [];
  const archived = useLoaded(
    () => client.rest('GET /api/servers/:serverId/channels/archived', { serverId: server.id }),
    [server.id, list.length],
  );
  return (
    <>
      <Block title={t('Channels · {count}', { count: list.length })}>
        <ul class="people">
          {list.map((channel, i) => (
            <ChannelRow
              key={channel.id}
              channel={channel}
              server={server}
              onMove={(by) => void move(app, server.id, list, i, by)}
              isFirst={i === 0}
              isLast={i === list.length - 1}
              onTask={setTask}
            />
          ))}
        </ul>
        {rights.may(server, 'channel:create') && <Button label={t('New channel')} onClick={() => setCreating(true)} />}
      </Block>
      {archived.value && archived.value.length > 0 && (
        <Archived server={server} list={archived.value} onTask={setTask} />
      )}
      {creating && <CreateChannel serverId={server.id} onClose={() => setCreating(false)} />}
      {task && <ChannelDialogs task={task} onClose={() => setTask(null)} />}
    </>
  );
}

const move = (app: AppState, serverId: string, list: readonly ChannelRecord[], at: number, by: number) =>
  app.attempt(async () => {
    const ids = list.map(({ id }) => id);
    const [moved] = ids.splice(at, 1);
    if (!moved) return;
    ids.splice(at + by, 0, moved);
    const body = { channelIds: ids };
    await app.client.rest('PATCH /api/servers/:serverId/channels/positions', { serverId, body });
    await app.servers.loadChannels(serverId);
  });

interface ChannelRowProps {
  channel: ChannelRecord;
  server: ServerRecord;
  isFirst: boolean;
  isLast: boolean;
  onMove(by: number): void;
  onTask(task: ChannelTask): void;
}

function ChannelRow({ channel, server, isFirst, isLast, onMove, onTask }: ChannelRowProps) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const items = actionsFor(texts, app, channel, onTask);
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
    <Block title={t('Archived · {count}', { count: list.length })} about={t('Kept, but nobody writes there any more.')}>
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
