import { useRef, useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { ranksAboveRole } from '../../../../contract/standing.ts';
import type { RoleRecord } from '../../state/roles.ts';
import { mayChange, type Standing } from '../../state/standing.ts';
import type { Texts } from '../../state/texts.ts';
import { Button, IconButton } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { nameOf, RoleBadge } from './RoleBadge.tsx';
import { RoleDialog } from './RoleDialog.tsx';
import { RoleMembers } from './RoleMembers.tsx';
import { ownStanding } from './useRoles.ts';

interface Task {
  what: 'edit' | 'members' | 'delete';
  /** Null: a new one. */
  role: RoleRecord | null;
}

/** The roles of a server, the highest first. */
export function Roles({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const app = useApp();
  const [task, setTask] = useState<Task | null>(null);
  const list = app.roles.lists.value.get(server.id) ?? [];
  const mine = ownStanding(app, server);
  const own = list.filter(({ builtIn }) => !builtIn);
  const order = useOrder(server.id, own, mine);
  return (
    <>
      <Block
        title={t('Roles · {count}', { count: list.length })}
        about={t(
          'Everyone has one of the four fixed roles and can have any of the others. People can do what any of their roles allows. The highest role is shown beside their name.',
        )}
      >
        <ul class="people">
          {list.map((role) => (
            <RoleRow key={role.id} role={role} mine={mine} order={order} onTask={setTask} />
          ))}
        </ul>
        <Button label={t('New role')} onClick={() => setTask({ what: 'edit', role: null })} />
      </Block>
      {task && <RoleTask server={server} task={task} mine={mine} onClose={() => setTask(null)} />}
    </>
  );
}

type Order = ReturnType<typeof useOrder>;

/** Puts the server's own roles in another order, by buttons or by dragging. */
function useOrder(serverId: string, own: readonly RoleRecord[], mine: Standing) {
  const { client, roles, attempt } = useApp();
  const dragged = useRef<string | null>(null);
  const indexOf = (id: string) => own.findIndex((role) => role.id === id);
  /** Only roles below the user's own move, and none of them above it. */
  const mayMove = (id: string, by: number): boolean => {
    const [role, other] = [own[indexOf(id)], own[indexOf(id) + by]];
    return role !== undefined && other !== undefined && ranksAboveRole(mine, Math.max(role.position, other.position));
  };
  const move = (id: string, by: number) =>
    void attempt(async () => {
      const roleIds = own.map((role) => role.id).filter((other) => other !== id);
      roleIds.splice(indexOf(id) + by, 0, id);
      await client.rest('PATCH /api/servers/:id/roles/positions', { id: serverId, body: { roleIds } });
      await roles.load(serverId);
    });
  const dragging = (id: string) => ({
    draggable: mayMove(id, -1) || mayMove(id, 1),
    onDragStart: () => {
      dragged.current = id;
    },
    onDragEnd: () => {
      dragged.current = null;
    },
    onDragOver: (event: DragEvent) => {
      const from = dragged.current;
      if (from && mayMove(from, indexOf(id) - indexOf(from))) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      const from = dragged.current;
      if (!from || from === id) return;
      event.preventDefault();
      move(from, indexOf(id) - indexOf(from));
    },
  });
  return { mayMove, move, dragging };
}

interface RoleRowProps {
  role: RoleRecord;
  mine: Standing;
  order: Order;
  onTask(task: Task): void;
}

function RoleRow({ role, mine, order, onTask }: RoleRowProps) {
  const texts = useTexts();
  const { t } = texts;
  const { id, builtIn } = role;
  const name = nameOf(texts, role);
  return (
    <li {...(builtIn ? {} : order.dragging(id))}>
      <span class="who">
        <span class="name">
          <RoleBadge role={role} />
        </span>
        <span class="faint">{aboutRole(texts, role)}</span>
      </span>
      {!builtIn && (
        <>
          <IconButton
            icon="up"
            label={t('Move {name} up', { name })}
            disabled={!order.mayMove(id, -1)}
            onClick={() => order.move(id, -1)}
          />
          <IconButton
            icon="down"
            label={t('Move {name} down', { name })}
            disabled={!order.mayMove(id, 1)}
            onClick={() => order.move(id, 1)}
          />
        </>
      )}
      <Menu label={t('Actions for {name}', { name })} items={actionsFor(texts, role, mine, onTask)}>
        <Icon name="more" />
      </Menu>
    </li>
  );
}

function aboutRole({ t }: Texts, { id, builtIn, permissions }: RoleRecord): string {
  if (id === 'owner' && builtIn) return t('Fixed role. May do everything.');
  if (id === 'admin' && builtIn) return t('Fixed role. May do everything but delete the server and hand it over.');
  const count = permissions.filter((name) => name !== 'channel:view').length;
  const may = t('{count, plural, one {# permission} other {# permissions}}', { count });
  return builtIn ? t('Fixed role. {may}', { may }) : may;
}

function actionsFor({ t }: Texts, role: RoleRecord, mine: Standing, onTask: (task: Task) => void): MenuItem[] {
  const ask = (what: Task['what']) => () => onTask({ what, role });
  const members: MenuItem = { label: t('Members'), icon: 'friends', run: ask('members') };
  if (!mayChange(mine, role)) return [members];
  return [
    { label: t('Edit'), icon: 'edit', run: ask('edit') },
    members,
    { label: role.builtIn ? t('Reset') : t('Delete'), icon: 'trash', danger: true, run: ask('delete') },
  ];
}

interface RoleTaskProps {
  server: ServerRecord;
  task: Task;
  mine: Standing;
  onClose(): void;
}

function RoleTask({ server, task: { what, role }, mine, onClose }: RoleTaskProps) {
  const texts = useTexts();
  const { t } = texts;
  const { client, roles, attempt } = useApp();
  if (what === 'edit') return <RoleDialog server={server} role={role} mine={mine} onClose={onClose} />;
  if (!role) return null;
  if (what === 'members') return <RoleMembers server={server} role={role} mine={mine} onClose={onClose} />;
  const remove = async () => {
    await client.rest('DELETE /api/servers/:id/roles/:roleId', { id: server.id, roleId: role.id });
    await roles.load(server.id);
  };
  return (
    <Confirm
      title={
        role.builtIn ? t('Reset {name}?', { name: nameOf(texts, role) }) : t('Delete {name}?', { name: role.name })
      }
      text={
        role.builtIn
          ? t('Its colour and permissions are reset.')
          : t('Everyone who has this role loses it at once, and with it what it let them do and see.')
      }
      action={role.builtIn ? t('Reset') : t('Delete')}
      onClose={onClose}
      onConfirm={() => void attempt(remove)}
    />
  );
}
