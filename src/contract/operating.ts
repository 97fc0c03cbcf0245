import { auditAction } from './audit-action.ts';

/** What the operator's commands do; their entries are of the installation (contract §5, Audit log). */
export const accountCreate = auditAction({
  name: 'account.create',
  summary: 'The operator made an account.',
  fields: ['tier'],
});

export const accountPassword = auditAction({
  name: 'account.password',
  summary: 'The operator set a new password, which ended all sessions.',
});

export const accountTier = auditAction({
  name: 'account.tier',
  summary: 'The operator put an account on another tier.',
  fields: ['tier'],
});

export const accountRevoke = auditAction({
  name: 'account.revoke',
  summary: 'The operator ended sessions, tokens and webhooks of an account.',
  fields: ['ended'],
});

export const accountRemoveFactors = auditAction({
  name: 'account.remove-factors',
  summary: 'The operator removed the second factors of an account.',
  fields: ['removed'],
});

export const accountSuspend = auditAction({ name: 'account.suspend', summary: 'The operator suspended an account.' });

export const accountUnsuspend = auditAction({
  name: 'account.unsuspend',
  summary: 'The operator let a suspended account in again.',
});

export const accountDelete = auditAction({
  name: 'account.delete',
  summary: 'The operator had an account deleted.',
  fields: ['deletesAt', 'messages'],
});

export const inviteCodesIssue = auditAction({
  name: 'invite-codes.issue',
  summary: 'The operator made invite codes.',
  fields: ['count'],
});
