import type { RoleRecord } from '../../state/roles.ts';
import { type Role, roleNames } from '../../state/servers.ts';
import { shownRole } from '../../state/standing.ts';
import type { Texts } from '../../state/texts.ts';
import { useTexts } from '../useApp.ts';

const isFixed = (id: string): id is Role => Object.hasOwn(roleNames, id);

/** The name of a role as people read it. */
export const nameOf = ({ t }: Texts, { id, builtIn, name }: RoleRecord): string =>
  builtIn && isFixed(id) ? t(roleNames[id]) : name;

/** A role with its colour. The colour is beside the name: not every one can be read as a text. */
export function RoleBadge({ role }: { role: RoleRecord }) {
  const texts = useTexts();
  return (
    <span class="role">
      <span class="dot" style={role.color ? { background: role.color } : {}} />
      {nameOf(texts, role)}
    </span>
  );
}

interface HighestRoleProps {
  member: { role: Role; roles: readonly string[] };
  list: readonly RoleRecord[];
}

/** What a member is in the server, by their highest role; nothing for those who are members and no more. */
export function HighestRole({ member, list }: HighestRoleProps) {
  const role = shownRole(member, list);
  if (!role || (role.id === 'member' && !role.color)) return null;
  return <RoleBadge role={role} />;
}
