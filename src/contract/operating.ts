import { auditAction } from './audit-action.ts';

/** What operators do; these entries are of the installation (contract §5, Audit log). */
export const accountCreate = auditAction({
  name: 'account.create',
  summary: 'The operator made an account.',
  fields: ['tier'],
});

export const accountPassword = auditAction({
  name: 'account.password',
  summary: 'The operator set a new password, which ended all sessions.',
});

export const accountReset = auditAction({
  name: 'account.reset',
  summary: 'The operator had a link for a new password mailed.',
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

export const accountSuspend = auditAction({
  name: 'account.suspend',
  summary: 'The operator suspended an account.',
  fields: ['until'],
});

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

export const quotaSet = auditAction({
  name: 'quota.set',
  summary: 'The operator set how much a person, a server, or all together may store; null: what the settings say.',
  fields: ['bytes'],
});

export const operatorGrant = auditAction({ name: 'operator.grant', summary: 'Someone was made an operator.' });

export const operatorRevoke = auditAction({ name: 'operator.revoke', summary: 'Someone is no longer an operator.' });

export const instanceBan = auditAction({
  name: 'instance.ban',
  summary: 'Someone was banned from the installation.',
  fields: ['until'],
});

export const instanceUnban = auditAction({
  name: 'instance.unban',
  summary: 'A ban from the installation was lifted.',
});

export const jobRetry = auditAction({
  name: 'job.retry',
  summary: 'Dead jobs were run again.',
  fields: ['count'],
});

export const jobDiscard = auditAction({
  name: 'job.discard',
  summary: 'A dead job was deleted.',
  fields: ['kind', 'attempts'],
});
