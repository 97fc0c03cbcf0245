import { auditAction } from './audit-action.ts';

export const channelCreate = auditAction({
  name: 'channel.create',
  summary: 'A channel was made.',
  fields: ['name', 'type', 'description', 'isPrivate'],
});

export const channelUpdate = auditAction({
  name: 'channel.update',
  summary: 'A channel was changed.',
  fields: ['name', 'description', 'slowModeSeconds', 'keepMessagesDays'],
});

export const channelArchive = auditAction({ name: 'channel.archive', summary: 'A channel was archived.' });

export const channelUnarchive = auditAction({
  name: 'channel.unarchive',
  summary: 'A channel is no longer archived.',
});

export const channelDelete = auditAction({
  name: 'channel.delete',
  summary: 'A channel was deleted.',
  fields: ['name', 'type', 'description', 'isPrivate'],
});

export const channelOrder = auditAction({
  name: 'channel.order',
  summary: 'The channels were put in another order.',
  fields: ['order'],
});

export const categoryCreate = auditAction({
  name: 'category.create',
  summary: 'A category of channels was made.',
  fields: ['name'],
});

export const categoryUpdate = auditAction({
  name: 'category.update',
  summary: 'A category of channels was renamed.',
  fields: ['name'],
});

export const categoryDelete = auditAction({
  name: 'category.delete',
  summary: 'A category was deleted; its channels stay.',
  fields: ['name'],
});

export const categoryOrder = auditAction({
  name: 'category.order',
  summary: 'The categories were put in another order.',
  fields: ['order'],
});

export const channelOverride = auditAction({
  name: 'channel.override',
  summary: 'A channel allows or denies a role or a person something else.',
  fields: ['allow', 'deny'],
});
