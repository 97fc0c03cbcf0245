import type { ServerRecord } from '../../../../client/index.ts';
import { ranksAbove } from '../../../../contract/standing.ts';
import type { RoleRecord } from '../../state/roles.ts';
import { type Member, roleNames } from '../../state/servers.ts';
import { mayGive, type Standing } from '../../state/standing.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, PickAndAdd, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { MemberList } from './MemberList.tsx';
import { nameOf, RoleBadge } from './RoleBadge.tsx';
import { standingOf } from './useRoles.ts';

/** Gives members roles of a server's own, and takes them. */
function useGiving({ id }: ServerRecord) {
  const { client } = useApp();
  return (userId: string, roleId: string, isGiven: boolean) =>
    isGiven
      ? client.rest('PUT /api/servers/:id/members/:userId/roles/:roleId', { id, userId, roleId })
      : client.rest('DELETE /api/servers/:id/members/:userId/roles/:roleId', { id, userId, roleId });
}

/** Whether the user may give the member a role, or take it: theirs they may always give back. */
function useMayGive(server: ServerRecord, mine: Standing) {
  const app = useApp();
  return (member: Member, role: RoleRecord): boolean => {
    const isOwn = member.userId === app.me.value?.id;
    if (isOwn && member.roles.includes(role.id)) return true;
    return mayGive(mine, role) && (isOwn || ranksAbove(mine, standingOf(app, server, member)));
  };
}

interface RoleMembersProps {
  server: ServerRecord;
  role: RoleRecord;
  mine: Standing;
  onClose(): void;
}

/** Who has a role. */
export function RoleMembers({ server, role, mine, onClose }: RoleMembersProps) {
  const texts = useTexts();
  const { t } = texts;
  const { servers } = useApp();
  const give = useGiving(server);
  const may = useMayGive(server, mine);
  const { value: all, after } = useLoaded(() => servers.membersOf(server.id), [server.id]);
  const has = (member: Member) => (role.builtIn ? member.role === role.id : member.roles.includes(role.id));
  const options = (all ?? [])
    .filter((member) => !role.builtIn && !has(member) && may(member, role))
    .map(({ userId, user }) => ({ value: userId, label: `${user.displayName} (@${user.username})` }));
  return (
    <Dialog title={t('Members with the role {name}', { name: nameOf(texts, role) })} onClose={onClose}>
      <PickAndAdd
        label={t('Person to give it to')}
        options={options}
        onAdd={(userId) => after(() => give(userId, role.id, true))}
      />
      <MemberList
        list={all?.filter(has) ?? null}
        row={(member) => (
          <Row
            key={member.userId}
            picture={<Avatar user={member.user} size="small" />}
            name={member.nickname ?? member.user.displayName}
            about={`@${member.user.username}`}
          >
            {!role.builtIn && may(member, role) && (
              <Button
                label={t('Remove')}
                kind="quiet"
                onClick={() => after(() => give(member.userId, role.id, false))}
              />
            )}
          </Row>
        )}
      />
    </Dialog>
  );
}

interface MemberRolesProps {
  server: ServerRecord;
  member: Member;
  mine: Standing;
  /** Makes a change, and shows the members anew. */
  after(change: () => Promise<unknown>): void;
  onClose(): void;
}

/** The roles of the server's own that a member has, to give and take. */
export function MemberRoles({ server, member, mine, after, onClose }: MemberRolesProps) {
  const { t } = useTexts();
  const { roles } = useApp();
  const give = useGiving(server);
  const may = useMayGive(server, mine);
  const own = (roles.lists.value.get(server.id) ?? []).filter(({ builtIn }) => !builtIn);
  return (
    <Dialog title={t('Roles of {displayName}', { displayName: member.user.displayName })} onClose={onClose}>
      {own.length === 0 && <p class="empty">{t('This server has no roles of its own yet.')}</p>}
      {own.map((role) => (
        <Check
          key={role.id}
          label={<RoleBadge role={role} />}
          checked={member.roles.includes(role.id)}
          disabled={!may(member, role)}
          onChange={(checked) => after(() => give(member.userId, role.id, checked))}
        />
      ))}
    </Dialog>
  );
}

/** Whether someone has a fixed role that they can lower: the owner hands the server over first. */
export const mayStepDown = ({ role }: ServerRecord): boolean => role === 'admin' || role === 'moderator';

/** Lowers the user's own fixed role. */
export function StepDown({ server, onClose, onDone }: { server: ServerRecord; onClose(): void; onDone(): void }) {
  const { t } = useTexts();
  const { client, me } = useApp();
  const lower = server.role === 'admin' ? (['moderator', 'member'] as const) : (['member'] as const);
  const save = async ({ text }: Fields) => {
    const role = lower.find((name) => name === text('role'));
    const userId = me.value?.id;
    if (!role || !userId) return;
    await client.rest('PATCH /api/servers/:id/members/:userId', { id: server.id, userId, body: { role } });
    onDone();
    onClose();
  };
  return (
    <Dialog title={t('Lower your role?')} onClose={onClose}>
      <p>{t('You lose the permissions of your role at once. Only someone above you can give it back.')}</p>
      <Form action={t('Lower it')} work={save} beside={<Button label={t('Cancel')} kind="quiet" onClick={onClose} />}>
        <Select
          label={t('Your role')}
          name="role"
          options={lower.map((role) => ({ value: role, label: t(roleNames[role]) }))}
        />
      </Form>
    </Dialog>
  );
}
