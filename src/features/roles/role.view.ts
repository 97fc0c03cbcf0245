import type { z } from 'zod';
import type { roleSchema } from '../../contract/role.ts';
import { defaultPermissions, permissions, type Role, roles } from '../../contract/roles.ts';
import type { ServerRole } from '../../database/entities/role.entity.ts';

export type RoleRecord = z.output<typeof roleSchema>;

/** A role of the server's own. */
export function ownRecord({ id, name, color = null, position, permissions: given }: ServerRole): RoleRecord {
  return { id, builtIn: false, name, color, position, permissions: known(given) };
}

/** A fixed role, with what the server has changed of it. */
export function fixedRecord(role: Role, changed?: ServerRole): RoleRecord {
  const isGiven = changed !== undefined && role !== 'admin';
  const given = isGiven ? known(changed.permissions) : [...defaultPermissions(role)];
  return { id: role, builtIn: true, name: role, color: changed?.color ?? null, position: 0, permissions: given };
}

/** All of a server, the highest first: own roles stand between moderator and member. */
export function roleRecords(rows: ServerRole[]): RoleRecord[] {
  const fixed = roles.map((role) =>
    fixedRecord(
      role,
      rows.find(({ builtIn }) => builtIn === role),
    ),
  );
  const own = rows.filter(({ builtIn }) => builtIn === null).sort((a, b) => b.position - a.position);
  return [...fixed.slice(0, -1), ...own.map(ownRecord), ...fixed.slice(-1)];
}

/** A newer version may know other permissions. */
const known = (given: string[]) => permissions.filter((name) => given.includes(name));
