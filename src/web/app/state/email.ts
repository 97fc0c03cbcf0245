import type { OwnUser } from '../../../client/index.ts';

/** Whether a user has not confirmed their e-mail address yet. */
export const isUnconfirmed = (me: OwnUser | null | undefined): boolean =>
  me?.emailVerifiedAt === null && me.email !== null;
