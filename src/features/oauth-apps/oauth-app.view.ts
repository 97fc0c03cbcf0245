import type { z } from 'zod';
import type { allowedAppSchema, oauthAppSchema } from '../../contract/oauth-app.ts';
import type { UserInfo } from '../../contract/oauth-protocol.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { OAuthApp } from '../../database/entities/oauth-app.entity.ts';
import type { PersonalToken, User } from '../../database/entities/user.entity.ts';

type ShownApp = z.input<typeof allowedAppSchema>['app'];

/** What someone sees of an app who may allow it. */
export function shownApp({ id, name, website = null, ownerId }: OAuthApp): ShownApp {
  return { id, name, website, isSelfRegistered: ownerId == null };
}

export function appRecord(app: OAuthApp): z.input<typeof oauthAppSchema> {
  const { id, name, website = null, redirectUris, secretHash, createdAt, updatedAt } = app;
  const times = { createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
  return { id, clientId: id, name, website, redirectUris, confidential: secretHash != null, ...times };
}

export function allowedRecord(token: PersonalToken, app: OAuthApp): z.input<typeof allowedAppSchema> {
  const { id, scope, createdAt, lastUsedAt } = token;
  const times = { createdAt: isoTime(createdAt), lastUsedAt: isoTimeOrNull(lastUsedAt) };
  return { id, app: shownApp(app), scopes: scope.split(' '), ...times };
}

/** What these scopes tell of a person (OpenID Connect Core §5.4). */
export function claimsOf(user: User, scopes: readonly string[], site: string): UserInfo {
  const { id, displayName, username, avatarUrl, email, emailVerifiedAt } = user;
  const picture = avatarUrl ? { picture: new URL(avatarUrl, site).href } : {};
  const profile = { name: displayName, preferred_username: username, ...picture };
  return {
    sub: id,
    ...(scopes.includes('profile') ? profile : {}),
    ...(scopes.includes('email') && email ? { email, email_verified: emailVerifiedAt != null } : {}),
  };
}
