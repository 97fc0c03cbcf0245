import { drafted } from '../../state/drafts.ts';
import { listsRead } from '../../state/lists.ts';
import { unreadNotifications } from '../../state/notifications.ts';
import { type DmChannel, dms, requestCount } from '../../state/people.ts';
import { isMuted } from '../../state/preferences.ts';
import { pathTo, place } from '../../state/router.ts';
import { unread } from '../../state/unread.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Entry, isHere } from './Entry.tsx';

export function HomePanel() {
  const { name } = place.value;
  return (
    <nav class="list" aria-label="Messages">
      <header class="bar">
        <h2 class="title">Parley</h2>
      </header>
      <ul>
        <Entry
          href="/app/friends"
          icon="friends"
          name="Friends"
          count={requestCount.value}
          current={name === 'friends'}
        />
        <Entry
          href="/app/notifications"
          icon="bell"
          name="Notifications"
          count={unreadNotifications.value}
          current={name === 'notifications'}
        />
        <Entry href="/app/discover" icon="compass" name="Discover" current={name === 'discover'} />
      </ul>
      <div class="section">
        <h2>Direct messages</h2>
      </div>
      <ul>
        {dms.value.map((dm) => (
          <DmEntry key={dm.id} dm={dm} />
        ))}
      </ul>
      {listsRead.value && dms.value.length === 0 && <p class="empty">Your conversations with people will be here.</p>}
    </nav>
  );
}

function DmEntry({ dm: { id, otherUser } }: { dm: DmChannel }) {
  return (
    <Entry
      href={pathTo.channel(null, id)}
      picture={<Avatar user={otherUser} size="small" present />}
      name={otherUser.displayName}
      count={unread.value.get(id)}
      drafted={drafted.value.has(id)}
      current={isHere(id)}
      muted={isMuted('channel', id)}
    />
  );
}
