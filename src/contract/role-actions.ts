import { auditAction } from './audit-action.ts';

const fields = ['name', 'color', 'permissions'] as const;

export const roleCreate = auditAction({ name: 'role.create', summary: 'A role was made.', fields });

export const roleUpdate = auditAction({ name: 'role.update', summary: 'A role was changed.', fields });

export const roleDelete = auditAction({ name: 'role.delete', summary: 'A role was deleted.', fields });

export const roleReset = auditAction({
  name: 'role.reset',
  summary: 'A fixed role has the permissions again that it had at first.',
  fields,
});

export const roleOrder = auditAction({
  name: 'role.order',
  summary: 'The roles were put in another order.',
  fields: ['order'],
});

export const memberRoleAdd = auditAction({
  name: 'member.role-add',
  summary: 'A member was given a role.',
  fields: ['role', 'roleId'],
});

export const memberRoleRemove = auditAction({
  name: 'member.role-remove',
  summary: 'A role was taken from a member.',
  fields: ['role', 'roleId'],
});
