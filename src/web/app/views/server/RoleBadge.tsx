import type { RoleRecord } from '../../state/roles.ts';
import { type Role, roleNames } from '../../state/servers.ts';
import { shownRole } from '../../state/standing.ts';

const isFixed = (id: string): id is Role => Object.hasOwn(roleNames, id);

/** The name of a role as people read it. */
export const nameOf = ({ id, builtIn, name }: RoleRecord): string => (builtIn && isFixed(id) ? roleNames[id] : name);

/** A role with its colour. The colour is beside the name: not every one can be read as a text. */
export function RoleBadge({ role }: { role: RoleRecord }) {
  return (
    <span class="role">
      <span class="dot" style={role.color ? { background: role.color } : {}} />
      {nameOf(role)}
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
