import { z } from 'zod';
import type { ownUserSchema } from '../../contract/account.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { validated } from '../../contract/schema/validation.ts';
import { usernameSchema, usernameSkeleton } from '../../contract/username.ts';
import type { User } from '../../database/entities/user.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Context } from '../context.ts';
import type { Introductions } from './account.service.ts';
import { ownUser, smallUser } from './account.view.ts';
import { isOwnFormerName, keepFormerName, secondsUntilFewer } from './former-usernames.table.ts';
import { userCache } from './identity.ts';
import { namingConflicts } from './new-user.ts';
import type { SecurityNotices } from './notices/security-notices.ts';
import type { Ownership } from './ownership.ts';
import type { Device } from './sessions/device.ts';
import { holdSession, ownSession } from './sessions/session.service.ts';
import { claimUsername } from './usernames.table.ts';

const newNameSchema = z.object({ username: usernameSchema });

interface Deps extends Pick<Context, 'changes' | 'caches' | 'capabilities' | 'settings'> {
  ownership: Pick<Ownership, 'hold'>;
  notices: Pick<SecurityNotices, 'notify'>;
  presence: Introductions;
}

/** People take other usernames; their old ones are kept for them for a while (contract §3). */
export class UsernameService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * A display name that is the old username becomes the new one: nobody has chosen it.
   * @throws AppError VALIDATION_FAILED, USERNAME_TAKEN, USERNAME_CHANGE_LIMIT, INSUFFICIENT_PAT_SCOPE, FORBIDDEN for bots
   */
  async change(actor: Actor, username: string, device: Device): Promise<z.input<typeof ownUserSchema>> {
    const session = ownSession(actor);
    const { changes, ownership, capabilities, settings } = this.deps;
    return namingConflicts(false, () =>
      changes.run(async (change) => {
        const user = await ownership.hold(change, actor.userId);
        await holdSession(change, session);
        // A name of an earlier version stays, also where it is sent along.
        if (username !== user.username) {
          await this.rename(change, user, validated(newNameSchema, { username }).username, device);
        }
        return ownUser(
          user,
          capabilities.membership(user.tier, user.isOperator),
          settings.accounts.secondFactor.required,
        );
      }),
    );
  }

  private async rename(change: Change, user: User, username: string, device: Device): Promise<void> {
    const { rows, em } = change;
    const { caches, notices, presence, settings } = this.deps;
    const { seconds } = settings.accounts.usernameChanges;
    await this.requireChange(change, user.id, username);
    const taken = await claimUsername(rows, user.id, username);
    const former = { username: user.username, usernameKey: user.usernameKey };
    await keepFormerName(rows, user.id, { ...former, nameSkeleton: usernameSkeleton(user.username) }, seconds);
    const displayName = user.displayName === user.username ? username : user.displayName;
    Object.assign(user, { ...taken, displayName });
    await em.flush();
    await notices.notify(change, user.id, 'username-changed', { device, detail: username });
    change.afterCommit(() => caches.forget(userCache, [user.id]));
    change.afterCommit(() => presence.introduce(smallUser(user)));
  }

  /** Going back does not count: the old name is theirs. @throws AppError USERNAME_CHANGE_LIMIT */
  private async requireChange({ rows }: Change, userId: string, username: string): Promise<void> {
    if (await isOwnFormerName(rows, userId, username)) return;
    const retryAfter = await secondsUntilFewer(rows, userId, this.deps.settings.accounts.usernameChanges.most);
    if (retryAfter !== undefined) throw new AppError('USERNAME_CHANGE_LIMIT', { retryAfter });
  }
}
