interface AvatarProps {
  user: { id: string; displayName: string; avatarUrl: string | null };
  size?: 'small' | 'large';
}

const hues = 12;

/** A picture, or the first letter on a colour that is always the same for this user. */
export function Avatar({ user, size = 'large' }: AvatarProps) {
  const hue = Number.parseInt(user.id.slice(-4), 16) % hues;
  const [letter = '?'] = user.displayName;
  return (
    <span class={`avatar ${size} hue${hue}`} aria-hidden="true">
      {user.avatarUrl ? (
        <img src={user.avatarUrl} alt="" loading="lazy" referrerpolicy="no-referrer" />
      ) : (
        letter.toUpperCase()
      )}
    </span>
  );
}
