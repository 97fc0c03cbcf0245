import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { ranksAbove } from '../../../../contract/standing.ts';
import type { Permission } from '../../state/rights.ts';
import type { RoleRecord } from '../../state/roles.ts';
import { type Member, type Role, roleNames } from '../../state/servers.ts';
import type { Standing } from '../../state/standing.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { Block, Row } from '../parts/Page.tsx';
import { shortTime } from '../parts/time.ts';
import { type AppState, useApp } from '../useApp.ts';
import { MemberList, OnlineCount } from './MemberList.tsx';
import { DeleteMessagesDialog, MessagesToDelete, TimeoutDialog, timedOutUntil } from './Restrain.tsx';
import { HighestRole } from './RoleBadge.tsx';
import { MemberRoles, mayStepDown, StepDown } from './RoleMembers.tsx';
import { useServerMembers } from './useMembers.ts';
import { ownStanding, standingOf } from './useRoles.ts';

/** The members of a server, and their roles. */
export function Members({ server }: { server: ServerRecord }) {
  const { rights } = useApp();
  const { value: list, after } = useServerMembers(server.id);
  return (
    <>
      <Block title={list ? `Members · ${list.length}` : 'Members'}>
        <OnlineCount serverId={server.id} />
        <MemberList
          list={list}
          row={(member) => <MemberRow key={member.userId} server={server} member={member} after={after} />}
        />
      </Block>
      {rights.may(server, 'member:ban') && <Bans server={server} />}
    </>
  );
}

type Question = 'roles' | 'step down' | 'remove' | 'ban' | 'hand over' | 'time out' | 'end timeout' | 'delete messages';

interface MemberProps {
  server: ServerRecord;
  member: Member;
  after(change: () => Promise<unknown>): void;
}

function MemberRow({ server, member, after }: MemberProps) {
  const app = useApp();
  const { client, me } = app;
  const [asking, setAsking] = useState<Question | null>(null);
  const { user, userId, role } = member;
  const params = { id: server.id, userId };
  const setRole = (to: Role) =>
    client.rest('PATCH /api/servers/:id/members/:userId', { ...params, body: { role: to } });
  const mine = ownStanding(app, server);
  const isBelow = userId !== me.value?.id && ranksAbove(mine, standingOf(app, server, member));
  const below = rolesBelow(mine);
  const close = () => setAsking(null);
  return (
    <Row
      picture={<Avatar user={user} present />}
      name={member.nickname ?? user.displayName}
      about={<About member={member} list={app.roles.lists.value.get(server.id) ?? []} />}
    >
      {isBelow && mine.may('member:set-role') && below.some((one) => one !== role) ? (
        <RolePicker choice={below} member={member} onChange={(to) => after(() => setRole(to))} />
      ) : (
        <span class="faint">{roleNames[role]}</span>
      )}
      <Menu
        label={`Actions for ${user.displayName}`}
        items={actionsFor({ app, server, member, mine, isBelow, ask: setAsking })}
      >
        <Icon name="more" />
      </Menu>
      {asking === 'roles' && <MemberRoles {...{ server, member, mine, after }} onClose={close} />}
      {asking === 'step down' && <StepDown server={server} onClose={close} onDone={() => after(async () => {})} />}
      {asking === 'remove' && (
        <Confirm
          title={`Remove ${user.displayName}?`}
          text="They lose the server and everything in it at once. With an invitation they can come back."
          action="Remove"
          onClose={close}
          onConfirm={() => after(() => client.rest('DELETE /api/servers/:id/members/:userId', params))}
        />
      )}
      {asking === 'ban' && (
        <BanDialog server={server} member={member} onClose={close} onBanned={() => after(async () => {})} />
      )}
      {asking === 'time out' && (
        <TimeoutDialog server={server} member={member} onClose={close} onDone={() => after(async () => {})} />
      )}
      {asking === 'delete messages' && (
        <DeleteMessagesDialog server={server} member={member} onClose={close} onDone={() => {}} />
      )}
      {asking === 'end timeout' && (
        <Confirm
          title={`End the timeout of ${user.displayName}?`}
          text="They can write here again at once."
          action="End it"
          onClose={close}
          onConfirm={() => after(() => client.rest('DELETE /api/servers/:id/members/:userId/timeout', params))}
        />
      )}
      {asking === 'hand over' && (
        <Confirm
          title={`Offer the server to ${user.displayName}?`}
          text="They have a week to accept. Then they are its owner, you are an admin, and only they can hand it back."
          action="Offer"
          onClose={close}
          onConfirm={() => after(() => app.handovers.offer({ userId, serverId: server.id }))}
        />
      )}
    </Row>
  );
}

function About({ member, list }: { member: Member; list: readonly RoleRecord[] }) {
  const held = timedOutUntil(member);
  const { user, roles } = member;
  const text = [`@${user.username}`, user.isBot && 'bot', held && `timed out until ${held}`].filter(Boolean);
  return (
    <>
      {text.join(' · ')}
      {/* The fixed role is beside it. */}
      {roles.length > 0 && (
        <>
          {' · '}
          <HighestRole member={member} list={list} />
        </>
      )}
    </>
  );
}

/** The fixed roles that someone may give. */
const rolesBelow = (mine: Standing) =>
  (['admin', 'moderator', 'member'] as const).filter((role) => ranksAbove(mine, { role, place: 0 }));

interface RolePickerProps {
  choice: readonly Role[];
  member: Member;
  onChange(to: Role): void;
}

function RolePicker({ choice, member, onChange }: RolePickerProps) {
  return (
    <Select
      bare
      label={`Role of ${member.user.displayName}`}
      value={member.role}
      options={choice.map((role) => ({ value: role, label: roleNames[role] }))}
      onChange={(value) => {
        const to = choice.find((role) => role === value);
        if (to) onChange(to);
      }}
    />
  );
}

interface ActionProps {
  app: AppState;
  server: ServerRecord;
  member: Member;
  mine: Standing;
  /** The user stands above the member. */
  isBelow: boolean;
  ask(what: Question): void;
}

function actionsFor({ app, server, member, mine, isBelow, ask }: ActionProps): MenuItem[] {
  const { user, userId } = member;
  const isOther = userId !== app.me.value?.id;
  const mayOn = (permission: Permission) => isBelow && mine.may(permission);
  const mayTimeOut = mayOn('member:timeout');
  const isHeld = timedOutUntil(member) !== null;
  const items: (MenuItem | false)[] = [
    isOther && { label: 'Message', icon: 'chat', run: () => void app.attempt(() => app.people.talkTo(userId)) },
    navigator.clipboard !== undefined && {
      label: 'Copy username',
      icon: 'copy',
      run: () => void app.copy(`@${user.username}`),
    },
    (mine.may('role:manage') || (!isOther && member.roles.length > 0)) && {
      label: 'Roles',
      icon: 'key',
      run: () => ask('roles'),
    },
    !isOther && mayStepDown(server) && { label: 'Lower your role', icon: 'down', run: () => ask('step down') },
    mayOn('server:hand-over') && !user.isBot && { label: 'Make owner', icon: 'shield', run: () => ask('hand over') },
    isOther && {
      label: 'Report',
      icon: 'shield',
      run: () => app.reporting.open({ what: { kind: 'user', userId, serverId: server.id }, name: user.displayName }),
    },
    isOther && { label: 'Block', icon: 'block', danger: true, run: () => void app.people.blockWithToast(user) },
    mayTimeOut && { label: isHeld ? 'Change the timeout' : 'Time out', icon: 'mute', run: () => ask('time out') },
    mayTimeOut && isHeld && { label: 'End the timeout', icon: 'bell', run: () => ask('end timeout') },
    mayOn('member:delete-messages') && {
      label: 'Delete last messages',
      icon: 'trash',
      danger: true,
      run: () => ask('delete messages'),
    },
    mayOn('member:kick') && { label: 'Remove from the server', icon: 'leave', danger: true, run: () => ask('remove') },
    mayOn('member:ban') && { label: 'Ban from the server', icon: 'block', danger: true, run: () => ask('ban') },
  ];
  return items.filter((item) => item !== false);
}

type Ban = RestAnswer<'GET /api/servers/:id/bans'>[number];

/** The banned users of a server, for moderators. */
export function Bans({ server }: { server: ServerRecord }) {
  const { client, attempt } = useApp();
  const { id } = server;
  const {
    value: list,
    load,
    after,
  } = useLoaded(() => client.rest('GET /api/servers/:id/bans', { id, query: { limit: 200 } }), [id]);
  useEffect(() => {
    const reload = ({ serverId }: { serverId: string }) => void (serverId === id && attempt(load));
    const off = [client.on('member:banned', reload), client.on('member:unbanned', reload)];
    return () => {
      for (const end of off) end();
    };
  }, [id]);
  const lift = ({ userId }: Ban) => after(() => client.rest('DELETE /api/servers/:id/bans/:userId', { id, userId }));
  return (
    <Block
      title="Banned"
      about="They cannot come back in any way, nor can their bots, until the ban ends or is lifted."
    >
      {list?.length === 0 && <p class="empty">Nobody is banned.</p>}
      <ul class="people">
        {list?.map((ban) => (
          <Row key={ban.id} picture={<Avatar user={ban.user} />} name={ban.user.displayName} about={describeBan(ban)}>
            <Button label={`Lift the ban of ${ban.user.displayName}`} kind="quiet" onClick={() => lift(ban)} />
          </Row>
        ))}
      </ul>
    </Block>
  );
}

function describeBan({ reason, until, bannedByUser, createdAt }: Ban): string {
  const by = `${shortTime(createdAt)}${bannedByUser ? ` by ${bannedByUser.displayName}` : ''}`;
  return [reason, by, until && `until ${shortTime(until)}`].filter(Boolean).join(' · ');
}

const day = 86_400_000;
const lengths = [
  { value: '', label: 'Until it is lifted' },
  { value: String(day), label: 'For a day' },
  { value: String(7 * day), label: 'For a week' },
  { value: String(30 * day), label: 'For 30 days' },
];

interface BanDialogProps {
  server: ServerRecord;
  member: Member;
  onClose(): void;
  onBanned(): void;
}

export function BanDialog({ server, member, onClose, onBanned }: BanDialogProps) {
  const { client, rights } = useApp();
  const ban = async ({ text }: Fields) => {
    const ms = Number(text('length'));
    const until = ms > 0 ? new Date(Date.now() + ms).toISOString() : null;
    const deleteMessageHours = Number(text('hours')) || null;
    const body = { userId: member.userId, reason: text('reason') || null, until, deleteMessageHours };
    await client.rest('POST /api/servers/:id/bans', { id: server.id, body });
    onBanned();
    onClose();
  };
  return (
    <Dialog title={`Ban ${member.user.displayName}?`} onClose={onClose}>
      <p>They lose the server and everything in it at once, with their bots, and cannot come back.</p>
      <Form action="Ban" work={ban} beside={<Button label="Cancel" kind="quiet" onClick={onClose} />}>
        <Field label="Reason" name="reason" maxlength={500} hint="They are told when they try to come back." />
        <Select label="How long" name="length" options={lengths} />
        {rights.may(server, 'member:delete-messages') && <MessagesToDelete />}
      </Form>
    </Dialog>
  );
}
