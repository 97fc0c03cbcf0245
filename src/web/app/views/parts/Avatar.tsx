import { useEffect } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { hueOf } from '../../state/hues.ts';
import { useApp, useTexts } from '../useApp.ts';
import { Picture } from './Picture.tsx';

interface AvatarProps {
  user: { id: string; displayName: string; avatarUrl: string | null };
  size?: 'small' | 'large' | 'huge';
  /** Whether it shows the user's status. */
  present?: boolean;
}

const statusNames: Readonly<Record<string, Message>> = {
  online: 'Online',
  idle: 'Away',
  dnd: 'Do not disturb',
  offline: 'Offline',
};

/** A picture, or the first letter on a colour of the person's own. */
export function Avatar({ user, size = 'large', present = false }: AvatarProps) {
  const { t } = useTexts();
  const { presence, hues } = useApp();
  useEffect(() => (present ? presence.show(user.id) : undefined), [presence, present, user.id]);
  const [letter = '?'] = user.displayName;
  const status = present ? (presence.statuses.value.get(user.id) ?? 'offline') : null;
  const picture = (
    <span class={`avatar ${size} hue${hues.of(user.id)}`} aria-hidden="true">
      <Picture url={user.avatarUrl}>{letter.toUpperCase()}</Picture>
    </span>
  );
  if (!status) return picture;
  const said = t(statusNames[status] ?? 'Offline');
  return (
    <span class="seen">
      {picture}
      <span class={`presence ${status}`} role="img" aria-label={said} title={said} />
    </span>
  );
}

type Looks = Pick<ServerRecord, 'id' | 'name' | 'iconUrl' | 'mark' | 'accentColor'>;

/** A server's icon, else its mark or the first letters of its name, on its colour or one of its own. */
export function ServerPicture({ server }: { server: Looks }) {
  return (
    <Picture url={server.iconUrl}>
      <ServerMark server={server} />
    </Picture>
  );
}

/** What stands in place of a server's icon. */
export function ServerMark({ server: { id, name, mark, accentColor } }: { server: Omit<Looks, 'iconUrl'> }) {
  return (
    <span
      class={accentColor ? 'server-mark own' : `server-mark hue${hueOf(id)}`}
      style={{ '--own': accentColor ?? undefined }}
      aria-hidden="true"
    >
      {mark ?? initialsOf(name)}
    </span>
  );
}

/** The first letters of a name. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).slice(0, 2);
  return words.map((word) => [...word][0] ?? '').join('');
}

/** A server's banner, if it has one. */
export function Banner({ server }: { server: Pick<ServerRecord, 'bannerUrl'> }) {
  if (!server.bannerUrl) return null;
  return (
    <span class="banner" aria-hidden="true">
      <Picture url={server.bannerUrl} size="large" />
    </span>
  );
}
