import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { ranksAbove } from '../../../../contract/standing.ts';
import type { Permission } from '../../state/rights.ts';
import type { RoleRecord } from '../../state/roles.ts';
import { type Member, type Role, roleNames } from '../../state/servers.ts';
import type { Standing } from '../../state/standing.ts';
import type { Texts } from '../../state/texts.ts';
import { Confirm } from '../parts/Dialog.tsx';
import { Select } from '../parts/Field.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { Block, Row } from '../parts/Page.tsx';
import { PersonButton, PresentPicture } from '../parts/PersonButton.tsx';
import { SaidEmoji } from '../people/Said.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { BanDialog, Bans } from './Bans.tsx';
import { MemberList, OnlineCount } from './MemberList.tsx';
import { DeleteMessagesDialog, TimeoutDialog, timedOutUntil } from './Restrain.tsx';
import { HighestRole } from './RoleBadge.tsx';
import { MemberRoles, mayStepDown, StepDown } from './RoleMembers.tsx';
import { useServerMembers } from './useMembers.ts';
import { ownStanding, standingOf } from './useRoles.ts';

/** The members of a server, and their roles. */
export function Members({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { rights } = useApp();
  const { value: list, after } = useServerMembers(server.id);
  return (
    <>
      <Block title={list ? t('Members · {count}', { count: list.length }) : t('Members')}>
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
  const texts = useTexts();
  const { t } = texts;
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
      picture={<PresentPicture user={user} />}
      name={<PersonButton person={user}>{member.nickname ?? user.displayName}</PersonButton>}
      about={<About member={member} list={app.roles.lists.value.get(server.id) ?? []} />}
    >
      <SaidEmoji userId={userId} />
      {isBelow && mine.may('member:set-role') && below.some((one) => one !== role) ? (
        <RolePicker choice={below} member={member} onChange={(to) => after(() => setRole(to))} />
      ) : (
        <span class="faint">{t(roleNames[role])}</span>
      )}
      <Menu
        label={t('Actions for {displayName}', { displayName: user.displayName })}
        items={actionsFor(texts, { app, server, member, mine, isBelow, ask: setAsking })}
      >
        <Icon name="more" />
      </Menu>
      {asking === 'roles' && <MemberRoles {...{ server, member, mine, after }} onClose={close} />}
      {asking === 'step down' && <StepDown server={server} onClose={close} onDone={() => after(async () => {})} />}
      {asking === 'remove' && (
        <Confirm
          title={t('Remove {displayName}?', { displayName: user.displayName })}
          text={t('They lose the server and everything in it at once. With an invitation they can come back.')}
          action={t('Remove')}
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
          title={t('End the timeout of {displayName}?', { displayName: user.displayName })}
          text={t('They can write here again at once.')}
          action={t('End it')}
          onClose={close}
          onConfirm={() => after(() => client.rest('DELETE /api/servers/:id/members/:userId/timeout', params))}
        />
      )}
      {asking === 'hand over' && (
        <Confirm
          title={t('Offer the server to {displayName}?', { displayName: user.displayName })}
          text={t(
            'They have a week to accept. Then they are its owner, you are an admin, and only they can hand it back.',
          )}
          action={t('Offer')}
          onClose={close}
          onConfirm={() => after(() => app.handovers.offer({ userId, serverId: server.id }))}
        />
      )}
    </Row>
  );
}

function About({ member, list }: { member: Member; list: readonly RoleRecord[] }) {
  const { t } = useTexts();
  const texts = useTexts();
  const held = timedOutUntil(texts, member);
  const { user, roles } = member;
  const text = [
    `@${user.username}`,
    user.isBot && t('bot'),
    held && t('timed out until {time}', { time: held }),
  ].filter(Boolean);
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
  const { t } = useTexts();
  return (
    <Select
      bare
      label={t('Role of {displayName}', { displayName: member.user.displayName })}
      value={member.role}
      options={choice.map((role) => ({ value: role, label: t(roleNames[role]) }))}
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

function actionsFor(texts: Texts, { app, server, member, mine, isBelow, ask }: ActionProps): MenuItem[] {
  const { t } = texts;
  const { user, userId } = member;
  const isOther = userId !== app.me.value?.id;
  const mayOn = (permission: Permission) => isBelow && mine.may(permission);
  const mayTimeOut = mayOn('member:timeout');
  const isHeld = timedOutUntil(texts, member) !== null;
  const items: (MenuItem | false)[] = [
    isOther && { label: t('Message'), icon: 'chat', run: () => void app.attempt(() => app.people.talkTo(userId)) },
    navigator.clipboard !== undefined && {
      label: t('Copy username'),
      icon: 'copy',
      run: () => void app.copy(`@${user.username}`),
    },
    (mine.may('role:manage') || (!isOther && member.roles.length > 0)) && {
      label: t('Roles'),
      icon: 'key',
      run: () => ask('roles'),
    },
    !isOther && mayStepDown(server) && { label: t('Lower your role'), icon: 'down', run: () => ask('step down') },
    mayOn('server:hand-over') && !user.isBot && { label: t('Make owner'), icon: 'shield', run: () => ask('hand over') },
    isOther && {
      label: t('Report'),
      icon: 'shield',
      run: () => app.reporting.open({ what: { kind: 'user', userId, serverId: server.id }, name: user.displayName }),
    },
    isOther && { label: t('Block'), icon: 'block', danger: true, run: () => void app.people.blockWithToast(user) },
    mayTimeOut && { label: isHeld ? t('Change the timeout') : t('Time out'), icon: 'mute', run: () => ask('time out') },
    mayTimeOut && isHeld && { label: t('End the timeout'), icon: 'bell', run: () => ask('end timeout') },
    mayOn('member:delete-messages') && {
      label: t('Delete recent messages'),
      icon: 'trash',
      danger: true,
      run: () => ask('delete messages'),
    },
    mayOn('member:kick') && {
      label: t('Remove from the server'),
      icon: 'leave',
      danger: true,
      run: () => ask('remove'),
    },
    mayOn('member:ban') && { label: t('Ban from the server'), icon: 'block', danger: true, run: () => ask('ban') },
  ];
  return items.filter((item) => item !== false);
}
