import { auditAction } from './audit-action.ts';

export const hookCreate = auditAction({
  name: 'hook.create',
  summary: 'An incoming webhook of a channel was made.',
  fields: ['name', 'format', 'isSigned'],
});

export const hookUpdate = auditAction({
  name: 'hook.update',
  summary: 'An incoming webhook of a channel was changed.',
  fields: ['name', 'format', 'isSigned', 'avatarUrl'],
});

export const hookRenew = auditAction({
  name: 'hook.renew',
  summary: 'An incoming webhook of a channel got another address.',
});

export const hookDelete = auditAction({
  name: 'hook.delete',
  summary: 'An incoming webhook of a channel was deleted.',
  fields: ['name', 'format', 'isSigned'],
});
