import type { Message } from '../../../../languages/catalogue.ts';
import type { Texts } from '../../state/texts.ts';

/** What a token may be limited to (contract §3). */
export const areas: { value: string; label: Message }[] = [
  { value: 'messages', label: 'Messages, notifications and sockets' },
  { value: 'servers', label: 'Servers and channels' },
  { value: 'workspace', label: 'Files' },
  { value: 'agents', label: 'Bots' },
  { value: 'account', label: 'Profile, friends and invite codes' },
];

/** What an app may learn of its user. */
const known: Record<string, Message> = {
  openid: 'Learn who you are',
  profile: 'See your name and picture',
  email: 'See your e-mail address',
  offline_access: 'Keep access while you are away, until you revoke it',
};

/** What a scope lets someone do. */
export function mayOf({ t }: Texts, scope: string): string {
  if (scope === 'user:write') return t('May do everything');
  if (scope === 'user:read') return t('May read everything');
  const [of = '', right] = scope.split(':');
  const told = known[of];
  if (told) return t(told);
  const area = areas.find(({ value }) => value === of);
  const label = area ? t(area.label) : of;
  return right === 'write' ? label : t('{label} (read only)', { label });
}
