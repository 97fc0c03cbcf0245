import { randomInt } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { userRoom } from '../../contract/rooms.ts';
import { suggestedUsername, usernameProblem } from '../../contract/username.ts';
import { User } from '../../database/entities/user.entity.ts';
import { isUniqueViolation } from '../../database/failures.ts';
import type { Change } from '../../delivery/changes.ts';
import { createStream } from '../../delivery/log.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { claimMailbox } from './address/mailboxes.table.ts';
import type { Barring } from './barring.ts';
import { claimUsername, isNameTaken } from './usernames.table.ts';

/** The data of a new person's account. */
export interface NewUser {
  /** Null where there is none, or a provider has not verified it. */
  email: string | null;
  /**
   * Whether the address is proven to be theirs: by how the account is created, or by the operator. If not, and another account
   * has its mailbox, the account is created without it, and remembers it.
   */
  emailVerified: boolean;
  passwordHash: string | null;
  /** Generated from `suggestion` when left out. */
  username?: string;
  displayName?: string;
  tier: string;
  /** What a username is generated from: an e-mail, or a name at a provider. */
  suggestion: string;
  /** Whether it stands for a bot of another product, whose messages were taken over. */
  isBot?: boolean;
}

/** Who may make an account, and from where. */
export interface SignUp {
  barring: Pick<Barring, 'requireNew'>;
  ip: string;
}

/**
 * Adds a person. Run it through `namingConflicts`.
 * @param signUp null: the operator made it
 * @throws AppError EMAIL_TAKEN for a proven address, ACCOUNT_SUSPENDED for one that is banned, SIGN_UP_REFUSED
 */
export async function createUser(change: Change, input: NewUser, signUp: SignUp | null): Promise<User> {
  const id = newId();
  const { email, emailVerified } = input;
  await signUp?.barring.requireNew(change.rows, emailVerified ? email : null, signUp.ip);
  const isTaken = email !== null && !(await claimMailbox(change.rows, email, id));
  if (isTaken && emailVerified) throw new AppError('EMAIL_TAKEN');
  const username = input.username ?? (await freeUsername(change, id, input.suggestion));
  const user = change.em.create(User, {
    id,
    ...(await claimUsername(change.rows, id, username)),
    email: isTaken ? null : email,
    claimedEmail: isTaken ? email : null,
    emailVerifiedAt: emailVerified && email !== null ? dateNow() : null,
    displayName: input.displayName ?? username,
    passwordHash: input.passwordHash,
    isBot: input.isBot ?? false,
    tier: input.tier,
  });
  await change.em.flush();
  await createStream(change.rows, userRoom(user.id));
  return user;
}

const attempts = 5;

/**
 * Runs a change that adds or renames a user, and turns conflicts into errors. If a generated username, or an address by a node of
 * an earlier version, was taken at the same moment, it tries again.
 * @throws AppError EMAIL_TAKEN, USERNAME_TAKEN
 */
export async function namingConflicts<T>(isGenerated: boolean, add: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await add();
    } catch (error) {
      if (isUniqueViolation(error, 'users_email_unique')) {
        if (attempt < attempts) continue;
        throw new AppError('EMAIL_TAKEN');
      }
      const isTaken = error instanceof AppError && error.code === 'USERNAME_TAKEN';
      if (!isTaken && !isUniqueViolation(error, 'users_username_key_unique')) throw error;
      if (!isGenerated || attempt === attempts) throw new AppError('USERNAME_TAKEN');
    }
  }
}

/** A username from the local part of an e-mail or from a name, with digits appended if it is taken. */
async function freeUsername(change: Change, userId: string, suggestion: string): Promise<string> {
  const base = suggestedUsername(suggestion, 24);
  for (let tries = 0; tries < 20; tries++) {
    const name = tries === 0 ? base : `${base}${randomInt(10 ** Math.min(2 + tries, 8))}`;
    if (usernameProblem(name) === undefined && !(await isNameTaken(change.rows, userId, name))) return name;
  }
  throw new AppError('USERNAME_TAKEN');
}
