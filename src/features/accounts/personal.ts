import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { updateMeSchema } from '../../contract/account.ts';
import { accountUpdated } from '../../contract/personal.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { User } from '../../database/entities/user.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { personalOf } from './account.view.ts';

/** Sets in which language, by which clock and in which colours a user reads, and tells their devices of it. */
export function personalise(change: Change, user: User, input: z.output<typeof updateMeSchema>): void {
  const before = personalOf(user);
  const {
    language = before.language,
    timeZone = before.timeZone,
    hourCycle = before.hourCycle,
    theme = before.theme,
  } = input;
  const now = { language, timeZone, hourCycle, theme };
  if (isDeepStrictEqual(now, before)) return;
  Object.assign(user, now);
  change.publish(accountUpdated.in(userRoom(user.id), now));
}
