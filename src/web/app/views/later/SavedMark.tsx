import { pathTo } from '../../state/router.ts';
import { Icon } from '../parts/Icon.tsx';
import { shortTime } from '../parts/time.ts';
import { useApp } from '../useApp.ts';

/** Says above a message that the user saved it for later, and when they will be reminded. */
export function SavedMark({ messageId }: { messageId: string }) {
  const { saved } = useApp();
  const item = saved.of(messageId);
  if (!item) return null;
  const reminder = item.remindAt ? `, with a reminder ${shortTime(item.remindAt)}` : '';
  return (
    <a class="saved-mark" href={pathTo.later('saved')}>
      <Icon name="bookmark" /> Saved for later{reminder}
    </a>
  );
}
