import { useEffect } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { useApp } from '../useApp.ts';

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
      {user.avatarUrl ? (
        <img src={user.avatarUrl} alt="" loading="lazy" referrerpolicy="no-referrer" />
      ) : (
        letter.toUpperCase()
      )}
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
  if (server.iconUrl) return <img src={server.iconUrl} alt="" referrerpolicy="no-referrer" />;
  const words = server.name.split(/\s+/).slice(0, 2);
  return <span aria-hidden="true">{words.map((word) => [...word][0] ?? '').join('')}</span>;
}
