import { useEffect } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { useApp } from '../useApp.ts';
import { Picture } from './Picture.tsx';

interface AvatarProps {
  user: { id: string; displayName: string; avatarUrl: string | null };
  size?: 'small' | 'large';
  /** Whether it shows the user's status. */
  present?: boolean;
}

const hues = 12;

/** A picture, or the first letter on a colour derived from the user's id. */
export function Avatar({ user, size = 'large', present = false }: AvatarProps) {
  const { presence } = useApp();
  useEffect(() => (present ? presence.show(user.id) : undefined), [presence, present, user.id]);
  const hue = Number.parseInt(user.id.slice(-4), 16) % hues;
  const [letter = '?'] = user.displayName;
  const status = present ? (presence.statuses.value.get(user.id) ?? 'offline') : null;
  const picture = (
    <span class={`avatar ${size} hue${hue}`} aria-hidden="true">
      <Picture url={user.avatarUrl}>{letter.toUpperCase()}</Picture>
    </span>
  );
  if (!status) return picture;
  return (
    <span class="seen">
      {picture}
      <span class={`presence ${status}`} role="img" aria-label={status} title={status} />
    </span>
  );
}

/** A server's icon, or the first letters of its name. */
export function ServerPicture({ server }: { server: Pick<ServerRecord, 'name' | 'iconUrl'> }) {
  return (
    <Picture url={server.iconUrl}>
      <span aria-hidden="true">{initialsOf(server.name)}</span>
    </Picture>
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
