import { auditAction } from './audit-action.ts';

const raidFields = ['mode', 'joins', 'seconds', 'minutes', 'isOn'] as const;

/** The code of a link is in no entry. */
export const inviteCreate = auditAction({
  name: 'invite.create',
  summary: 'An invite link was made.',
  fields: ['maxUses', 'channelId', 'expiresAt'],
});

export const inviteDelete = auditAction({
  name: 'invite.delete',
  summary: 'An invite link was ended.',
  fields: ['createdBy'],
});

export const raidUpdate = auditAction({
  name: 'raid.update',
  summary: 'Raid mode was switched, or set otherwise.',
  fields: raidFields,
});

export const raidBegin = auditAction({
  name: 'raid.begin',
  summary: 'Raid mode turned itself on, since too many joined.',
});

export const raidEnd = auditAction({ name: 'raid.end', summary: 'Raid mode turned itself off.' });
