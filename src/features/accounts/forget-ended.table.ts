import type { Chore } from '../../cluster/chores.ts';
import type { Settings } from '../../settings/settings.ts';

const batch = 1000;
/** The time $1 seconds ago. */
const longAgo = 'now() - make_interval(secs => $1)';

/** Tables with rows that end, and the condition for old ones. */
const ends = [
  { table: 'sessions', key: 'id', isOver: `refresh_expires_at < ${longAgo} OR revoked_at < ${longAgo}` },
  {
    table: 'personal_tokens',
    key: 'id',
    // People keep seeing which of their own have expired.
    isOver: `revoked_at < ${longAgo} OR (app_id IS NOT NULL AND revoked_at IS NULL AND expires_at < ${longAgo})`,
  },
  { table: 'oauth_codes', key: 'code_hash', isOver: `expires_at < ${longAgo}` },
  { table: 'oauth_devices', key: 'device_hash', isOver: `expires_at < ${longAgo}` },
  { table: 'email_codes', key: 'email', isOver: `expires_at < ${longAgo}` },
  { table: 'mailed_codes', key: 'id', isOver: `expires_at < ${longAgo}` },
  { table: 'password_resets', key: 'token_hash', isOver: `expires_at < ${longAgo}` },
  { table: 'email_verifications', key: 'user_id', isOver: `expires_at < ${longAgo}` },
  { table: 'email_changes', key: 'id', isOver: `expires_at < ${longAgo}` },
  { table: 'former_usernames', key: 'id', isOver: `kept_until < ${longAgo}` },
  { table: 'known_devices', key: 'id', isOver: `seen_at < ${longAgo} - interval '1 year'` },
  { table: 'security_notices', key: 'id', isOver: `mail_at < ${longAgo}` },
  { table: 'sign_in_tickets', key: 'token_hash', isOver: `expires_at < ${longAgo}` },
  { table: 'passkey_challenges', key: 'challenge_hash', isOver: `expires_at < ${longAgo}` },
  { table: 'totp_factors', key: 'user_id', isOver: `confirmed_at IS NULL AND created_at < ${longAgo}` },
  { table: 'oauth_states', key: 'state_hash', isOver: `expires_at < ${longAgo}` },
];

/**
 * Deletes what ended long ago: sessions, tokens, codes, links and unfinished sign-ins and factors. They are kept while an access token
 * of an ended session may still be used, so that the refusal can give the reason.
 */
export function forgetEnded(settings: Settings['accounts']): Chore[] {
  const keepSeconds = settings.accessTokenSeconds + 24 * 60 * 60;
  return ends.map(({ table, key, isOver }) => {
    const remove = `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${isOver} LIMIT ${batch})
      RETURNING ${key}`;
    return {
      name: `forget ended ${table}`,
      step: async (rows) => (await rows(remove, [keepSeconds])).length,
    };
  });
}
