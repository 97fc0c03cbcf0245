import { z } from 'zod';
import { calls, textParam, uuidParam } from './call.ts';
import { memberSchema } from './member.ts';
import {
  memberRoleAdd,
  memberRoleRemove,
  roleCreate,
  roleDelete,
  roleOrder,
  roleReset,
  roleUpdate,
} from './role-actions.ts';
import { grantable, permissions } from './roles.ts';
import { colorSchema, doneSchema, idSchema, nameSchema, record } from './schema.ts';
import { serverParam } from './server.ts';

/** How many roles of its own a server has at most, and how many of them a member. */
export const maxRoles = { server: 100, member: 50 };

export const roleSchema = record('Role', {
  id: z.string().describe('Of a fixed role its name: `owner`, `admin`, `moderator` or `member`.'),
  builtIn: z.boolean().describe('A fixed role: everyone has exactly one of them.'),
  name: z.string(),
  color: z.string().nullable().describe('`#rrggbb`'),
  position: z.number().int().describe('Own roles count from 1 up, the highest last. Fixed roles have 0.'),
  permissions: z.array(z.enum(permissions)),
});

const grantedSchema = z.array(z.enum(grantable)).max(grantable.length);

export const createRoleSchema = z.object({
  name: nameSchema(100),
  color: colorSchema.nullish(),
  permissions: grantedSchema.optional().describe('None by default.'),
});

export const updateRoleSchema = z.object({
  name: nameSchema(100).optional().describe('Not of a fixed role.'),
  color: colorSchema.nullish(),
  permissions: grantedSchema.optional().describe('Not of the owner and of admins, who have all that theirs can have.'),
});

export const orderRolesSchema = z.object({
  roleIds: z.array(idSchema).max(maxRoles.server).describe('All roles of the server’s own, the highest first.'),
});

const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'] as const;
const params = {
  id: serverParam,
  roleId: textParam('ROLE_NOT_FOUND', 'Id of the role, or the name of a fixed one.'),
} as const;
const holder = {
  id: serverParam,
  userId: uuidParam('MEMBER_NOT_FOUND', 'Id of the member.'),
  roleId: uuidParam('ROLE_NOT_FOUND', 'Id of a role of the server’s own.'),
} as const;

export const roleCalls = calls('Servers', {
  listRoles: {
    method: 'GET',
    path: '/api/servers/:id/roles',
    summary:
      "The roles of a server, the highest first: the fixed ones, and the server's own between moderator and member.",
    params: { id: serverParam },
    answer: z.array(roleSchema),
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  createRole: {
    method: 'POST',
    path: '/api/servers/:id/roles',
    summary: 'Add a role, below all others of the server. Nobody gives a permission that they do not have.',
    params: { id: serverParam },
    body: createRoleSchema,
    status: 201,
    answer: roleSchema,
    errors: [...errors, 'ROLE_LIMIT'],
    audit: [roleCreate],
  },
  orderRoles: {
    method: 'PATCH',
    path: '/api/servers/:id/roles/positions',
    summary: 'Put the roles of the server’s own in order. Only those below one’s own highest can be moved.',
    params: { id: serverParam },
    body: orderRolesSchema,
    answer: z.array(roleSchema),
    errors: [...errors, 'ROLE_NOT_FOUND'],
    audit: [roleOrder],
  },
  updateRole: {
    method: 'PATCH',
    path: '/api/servers/:id/roles/:roleId',
    summary: 'Change a role below one’s own highest, or what moderators or members may do.',
    params,
    body: updateRoleSchema,
    answer: roleSchema,
    errors: [...errors, 'ROLE_NOT_FOUND', 'FORBIDDEN'],
    audit: [roleUpdate],
  },
  deleteRole: {
    method: 'DELETE',
    path: '/api/servers/:id/roles/:roleId',
    summary: 'Delete a role; a fixed one is as it was at first again.',
    params,
    answer: doneSchema,
    errors: [...errors, 'ROLE_NOT_FOUND', 'FORBIDDEN'],
    audit: [roleDelete, roleReset],
  },
  assignRole: {
    method: 'PUT',
    path: '/api/servers/:id/members/:userId/roles/:roleId',
    summary: 'Give a member of a lower role a role below one’s own highest.',
    params: holder,
    answer: memberSchema,
    errors: [...errors, 'MEMBER_NOT_FOUND', 'ROLE_NOT_FOUND', 'ROLE_LIMIT'],
    audit: [memberRoleAdd],
  },
  unassignRole: {
    method: 'DELETE',
    path: '/api/servers/:id/members/:userId/roles/:roleId',
    summary: 'Take a role from a member of a lower role, or from oneself.',
    params: holder,
    answer: memberSchema,
    errors: [...errors, 'MEMBER_NOT_FOUND', 'ROLE_NOT_FOUND'],
    audit: [memberRoleRemove],
  },
});
