import { me } from '../../state/client.ts';
import { type OwnStatus, presence, setOwnStatus } from '../../state/presence.ts';
import { attempt } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu } from '../parts/Menu.tsx';

const choices: { status: OwnStatus; label: string }[] = [
  { status: 'online', label: 'Online' },
  { status: 'idle', label: 'Away' },
  { status: 'dnd', label: 'Do not disturb' },
  { status: 'offline', label: 'Invisible' },
];

/** Who one is, and how one is seen. */
export function Self() {
  const user = me.value;
  if (!user) return <footer class="self" />;
  const now = presence.value.get(user.id) ?? 'offline';
  return (
    <footer class="self">
      <Menu
        label="Your status"
        class="me"
        align="start"
        items={choices.map(({ status, label }) => ({
          label,
          checked: status === now,
          run: () => void attempt(() => setOwnStatus(status)),
        }))}
      >
        <Avatar user={user} size="small" present />
        <span class="who">
          <span class="name">
            <span class="hidden">Your status, </span>
            {user.displayName}
          </span>
          <span class="faint">@{user.username}</span>
        </span>
      </Menu>
      <a class="icon" href="/app/settings/profile" aria-label="Settings" title="Settings">
        <Icon name="settings" />
      </a>
    </footer>
  );
}
