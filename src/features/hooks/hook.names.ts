import { pictureNameIn } from '../../contract/picture.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { withoutBlanks } from '../../contract/unicode/visible.ts';
import { isReserved, usernameSkeleton } from '../../contract/username.ts';
import type { Rows } from '../../database/database.ts';
import { displayNamesIn, isShownByOthers, isUsernameIn } from './hook.table.ts';

const batch = 1000;
const mostCompared = 100 * batch;

/**
 * An incoming webhook is taken for nobody else: its messages are marked as a bot's, and its name is that of nobody in the
 * server (contract §6, Incoming webhooks).
 * @throws AppError VALIDATION_FAILED for the name, also in look-alikes, of a member
 */
export async function requireOwnName(rows: Rows, serverId: string, name: string): Promise<void> {
  if (isReserved(withoutBlanks(name))) throw unfit('is reserved, or looks like a reserved name');
  const look = lookOf(name);
  const isTaken = (await isUsernameIn(rows, serverId, look)) || (await isDisplayNameIn(rows, serverId, look));
  if (isTaken) throw unfit('is the name of someone in this server, or looks like it');
}

const lookOf = (name: string): string => withoutBlanks(usernameSkeleton(name));

/**
 * Each name is compared: words that look alike need not have a letter in common, so no index finds them. That is far more work
 * than other calls do, but few incoming webhooks are ever named; in the largest servers those who joined the site first are compared.
 */
async function isDisplayNameIn(rows: Rows, serverId: string, look: string): Promise<boolean> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (let read = 0; read < mostCompared; read += batch) {
    const people = await displayNamesIn(rows, serverId, { after, limit: batch });
    if (people.some(({ name }) => lookOf(name) === look)) return true;
    if (people.length < batch) return false;
    after = people.at(-1)?.id ?? after;
  }
  return false;
}

const unfit = (message: string) => invalid([{ path: 'name', message, code: 'custom' }]);

/** @throws AppError VALIDATION_FAILED for a picture that is not of this site, or that another user shows */
export async function requireOwnPicture(rows: Rows, url: string, userId: string): Promise<void> {
  const isOurs = pictureNameIn(url) !== undefined;
  if (isOurs && !(await isShownByOthers(rows, url, userId))) return;
  const message = isOurs ? 'is the picture of someone else' : 'must be a picture that was uploaded here';
  throw invalid([{ path: 'avatarUrl', message, code: 'custom' }]);
}
