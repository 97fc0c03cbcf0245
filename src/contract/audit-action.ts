/** What an action was done to, by the kind of its record. */
export const auditTargets = [
  'server',
  'channel',
  'category',
  'user',
  'message',
  'thread',
  'role',
  'app',
  'invite',
  'join-request',
  'report',
  'filter',
  'held-message',
  'emoji',
  'hook',
  'instance-ban',
  'job',
] as const;

export type AuditTargetKind = (typeof auditTargets)[number];

/** A moderating or configuring change as the audit log names it (contract §5, Audit log). */
export interface AuditAction<F extends string = string, N extends string = string> {
  /** `<thing>.<verb>`; in the database for as long as entries are kept. */
  name: N;
  summary: string;
  /** The fields that an entry shows as they were before and after; nothing else of them is stored. */
  fields: readonly F[];
}

/**
 * Declares an action beside the events of its thing; contract/audit-catalogue.ts lists it. A service writes an entry with
 * `change.audit(action, details)`.
 * @param spec its `fields` are never secrets or names of people
 */
export function auditAction<const N extends string, const F extends string = never>(spec: {
  name: N;
  summary: string;
  fields?: readonly F[];
}): AuditAction<F, N> {
  return { name: spec.name, summary: spec.summary, fields: spec.fields ?? [] };
}

/** What a call does to the audit log: the actions that it may write, or why it writes none. */
export type Audited = readonly AuditAction[] | { none: string };
