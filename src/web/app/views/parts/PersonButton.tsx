import type { ComponentChildren } from 'preact';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Person } from '../../state/profiles.ts';
import { useApp, useTexts } from '../useApp.ts';
import { Avatar } from './Avatar.tsx';

interface PersonButtonProps {
  person: Person;
  class?: string;
  title?: string | undefined;
  children: ComponentChildren;
}

/** A name that opens the profile of whom it names. */
export function PersonButton({ person, class: kind = 'person', title, children }: PersonButtonProps) {
  const { profiles } = useApp();
  return (
    <button
      type="button"
      class={kind}
      title={title}
      aria-haspopup="dialog"
      onClick={({ currentTarget }) => profiles.open(person, currentTarget.getBoundingClientRect())}
    >
      {children}
    </button>
  );
}

interface PersonPictureProps {
  user: Person & { avatarUrl: string | null };
  size?: 'small' | 'large';
}

/** A picture that does so too. The name beside it is the way there for the keyboard and for screen readers. */
export function PersonPicture({ user, size = 'large' }: PersonPictureProps) {
  const { profiles } = useApp();
  return (
    <button
      type="button"
      class="person picture"
      tabIndex={-1}
      aria-hidden="true"
      // What is hidden from screen readers must not have the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={({ currentTarget }) => profiles.open(user, currentTarget.getBoundingClientRect())}
    >
      <Avatar user={user} size={size} />
    </button>
  );
}

const statusNames: Readonly<Record<string, Message>> = {
  online: 'Online',
  idle: 'Away',
  dnd: 'Do not disturb',
  offline: 'Offline',
};

/** A picture with the status of whom it shows, which opens their profile. */
export function PresentPicture({ user }: Pick<PersonPictureProps, 'user'>) {
  const { t } = useTexts();
  const { presence, profiles } = useApp();
  const status = statusNames[presence.statuses.value.get(user.id) ?? 'offline'] ?? 'Offline';
  return (
    <button
      type="button"
      class="person picture"
      tabIndex={-1}
      aria-label={t('{name}, {status}', { name: user.displayName, status: t(status) })}
      onClick={({ currentTarget }) => profiles.open(user, currentTarget.getBoundingClientRect())}
    >
      <Avatar user={user} present />
    </button>
  );
}
