import { lazyDialog } from '../parts/lazy.tsx';
import { useApp } from '../useApp.ts';

const ProfileCard = lazyDialog(() => import('./ProfileCard.tsx').then((part) => part.ProfileCard));

/** The profile that was opened, above everything else. */
export function OpenedProfile() {
  const { profiles } = useApp();
  const { value } = profiles.shown;
  return value && <ProfileCard key={value.person.id} {...value} onClose={profiles.close} />;
}
