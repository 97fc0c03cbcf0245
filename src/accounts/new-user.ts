import { randomInt } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { isUniqueViolation } from '../database/failures.ts';
import type { Change } from '../delivery/changes.ts';
import { userRoom } from '../delivery/entry.ts';
import { createStream } from '../delivery/log.ts';
import { AppError } from '../errors.ts';
import { cut } from '../schema.ts';
import { isReservedUsername, usernameKey } from './account.contract.ts';
import { User } from './user.entity.ts';

/** What a new person's account is made of. */
export interface NewUser {
  /** Null where nobody has shown that it is theirs. */
  email: string | null;
  passwordHash: string | null;
  /** Made from `suggestion` when left out. */
  username?: string;
  displayName?: string;
  tier: string;
  /** What a username may be made from: an e-mail, or a name at a provider. */
  suggestion: string;
}

/** Adds a person. Run it through `namingConflicts`. */
export async function createUser(change: Change, input: NewUser): Promise<User> {
  const username = input.username ?? (await freeUsername(change, input.suggestion));
  const user = change.em.create(User, {
    id: uuid(),
    username,
    usernameKey: usernameKey(username),
    email: input.email,
    displayName: input.displayName ?? username,
    passwordHash: input.passwordHash,
    isBot: false,
    tier: input.tier,
  });
  await change.em.flush();
  await createStream(change.rows, userRoom(user.id));
  return user;
}

const attempts = 5;

/**
 * Runs a change that adds a user or gives it a name, and says which of its names is taken. A generated username that
 * another one took in the same moment is no one's fault: then it is tried again.
 * @throws AppError EMAIL_TAKEN, USERNAME_TAKEN
 */
export async function namingConflicts<T>(isGenerated: boolean, add: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await add();
    } catch (error) {
      if (isUniqueViolation(error, 'users_email_unique')) throw new AppError('EMAIL_TAKEN');
      if (!isUniqueViolation(error, 'users_username_key_unique')) throw error;
      if (!isGenerated || attempt === attempts) throw new AppError('USERNAME_TAKEN');
    }
  }
}

/** A username from the local part of an e-mail or from a name, with digits behind it when it is taken. */
async function freeUsername(change: Change, suggestion: string): Promise<string> {
  const local = suggestion.split('@')[0]?.normalize('NFC') ?? '';
  const cleaned = local.replace(/[^\p{L}\p{N}_.-]/gu, '').replace(/^\.+|\.+$/g, '');
  const base = cut(cleaned.length >= 3 ? cleaned : `user-${cleaned}`, 24).replace(/\.+$/, '');
  for (let tries = 0; tries < 20; tries++) {
    const name = tries === 0 ? base : `${base}${randomInt(10 ** Math.min(2 + tries, 8))}`;
    const taken = await change.em.count(User, { usernameKey: usernameKey(name) });
    if (taken === 0 && name.length >= 3 && !isReservedUsername(name)) return name;
  }
  throw new AppError('USERNAME_TAKEN');
}
