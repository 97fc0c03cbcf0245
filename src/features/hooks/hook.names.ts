import { pictureNameIn } from '../../contract/picture.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { isReserved, usernameSkeleton } from '../../contract/username.ts';
import type { Rows } from '../../database/database.ts';
import { displayNamesLike, isShownByOthers, isUsernameIn } from './hook.table.ts';

/**
 * An incoming webhook is taken for nobody else: its messages are marked as a bot's, and its name is that of nobody in the
 * server (contract §6, Incoming webhooks).
 * @throws AppError VALIDATION_FAILED for the name, also in look-alikes, of a member
 */
export async function requireOwnName(rows: Rows, serverId: string, name: string): Promise<void> {
  const skeleton = usernameSkeleton(name);
  if (isReserved(name)) throw unfit('is reserved, or looks like a reserved name');
  const names = await displayNamesLike(rows, serverId, name);
  const isTaken =
    names.some((other) => usernameSkeleton(other) === skeleton) || (await isUsernameIn(rows, serverId, skeleton));
  if (isTaken) throw unfit('is the name of someone in this server, or looks like it');
}

const unfit = (message: string) => invalid([{ path: 'name', message, code: 'custom' }]);

/** @throws AppError VALIDATION_FAILED for a picture that is not of this site, or that another user shows */
export async function requireOwnPicture(rows: Rows, url: string, userId: string): Promise<void> {
  const isOurs = pictureNameIn(url) !== undefined;
  if (isOurs && !(await isShownByOthers(rows, url, userId))) return;
  const message = isOurs ? 'is the picture of someone else' : 'must be a picture that was uploaded here';
  throw invalid([{ path: 'avatarUrl', message, code: 'custom' }]);
}
