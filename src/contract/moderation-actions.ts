import { auditAction } from './audit-action.ts';

export const memberTimeout = auditAction({
  name: 'member.timeout',
  summary: 'A member was timed out.',
  fields: ['until'],
});

export const memberTimeoutEnd = auditAction({ name: 'member.timeout-end', summary: 'A timeout was ended.' });

export const memberDeleteMessages = auditAction({
  name: 'member.delete-messages',
  summary: 'The messages of the last hours of someone were deleted.',
  fields: ['hours'],
});

export const filterAdd = auditAction({
  name: 'filter.add',
  summary: 'Filters were added, or do something else.',
  fields: ['kind', 'action', 'patterns'],
});

export const filterRemove = auditAction({
  name: 'filter.remove',
  summary: 'A filter was removed.',
  fields: ['kind', 'action'],
});

export const heldApprove = auditAction({
  name: 'held-message.approve',
  summary: 'A held message was published.',
  fields: ['authorId'],
});

export const heldReject = auditAction({
  name: 'held-message.reject',
  summary: 'A held message was rejected.',
  fields: ['authorId'],
});

export const reportDecide = auditAction({
  name: 'report.decide',
  summary: 'Reports of a thing were decided.',
  fields: ['action', 'kind'],
});

export const reportEscalate = auditAction({
  name: 'report.escalate',
  summary: 'Reports of a thing were handed to the operators.',
  fields: ['kind'],
});
